// coverage_test.cc: which rows of bubblewrap are weaker than the native ones, and which are equal.
#include "backend/linux/bubblewrap/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pinfold::backend::on_linux {
namespace {

class BubblewrapCoverage : public ::testing::Test {
 protected:
  BubblewrapCoverage() {
    facts_.landlock_abi = 7;
    facts_.counting = Counting::kUsers;
    bwrap_.own_user_namespace = true;
  }
  void step(StepBody body) { plan_.steps.push_back(Step{std::move(body), Need::kRequired, {}}); }
  Coverage row(const std::string& name) const {
    auto rows = bubblewrap_coverage(plan_, facts_, Cgroup(), bwrap_);
    auto found = std::find_if(rows.begin(), rows.end(), [&](const Coverage& each) { return each.step == name; });
    return found == rows.end() ? Coverage{} : *found;
  }

  Plan plan_;
  ConfinementFacts facts_;
  BubblewrapFacts bwrap_;
};

TEST_F(BubblewrapCoverage, AListOfProgramsIsPartialBecauseOfTheLoader) {
  step(ExecLimit{ExecMode::kList, {"/usr/bin/ls"}, {}});
  EXPECT_EQ(row(step_name::kExec).strength, Strength::kPartial);
  EXPECT_NE(row(step_name::kExec).gap.find("noexec"), std::string::npos);
  EXPECT_EQ(row(step_name::kExec).mechanism.find("noexec"), std::string::npos);
}

TEST_F(BubblewrapCoverage, AListOfProgramsIsAbsentWithoutLandlock) {
  facts_.landlock_abi = 0;
  step(ExecLimit{ExecMode::kNone, {"/usr/bin/ls"}, {}});
  EXPECT_EQ(row(step_name::kExec).strength, Strength::kAbsent);
}

TEST_F(BubblewrapCoverage, ExecAnyHasNoGap) {
  step(ExecLimit{ExecMode::kAny, {}, {}});
  step(PrivateTmp{{"/tmp"}, 1U << 20U, true});
  EXPECT_EQ(row(step_name::kExec).strength, Strength::kEnforced);
  EXPECT_EQ(row(step_name::kTmp).strength, Strength::kEnforced);
}

// The supervisor's sums are incomplete: coverage names the gap, and does not refuse the run.
TEST_F(BubblewrapCoverage, LimitsWithoutACgroupNameUncountedMemory) {
  step(LimitStep{LimitKind::kMemory, 1U << 30U});
  step(LimitStep{LimitKind::kCpuTime, 5000});
  for (const char* name : {"limit.memory", "limit.cpu"}) {
    EXPECT_EQ(row(name).strength, Strength::kPartial) << name;
    EXPECT_EQ(row(name).need, Need::kBestEffort) << name;
    EXPECT_NE(row(name).gap.find("not in the sum"), std::string::npos) << name;
  }
}

TEST_F(BubblewrapCoverage, ANoexecTmpIsPartial) {
  step(PrivateTmp{{"/tmp"}, 1U << 20U, false});
  EXPECT_EQ(row(step_name::kTmp).strength, Strength::kPartial);
}

TEST_F(BubblewrapCoverage, SetuidBubblewrapCannotLimitSizes) {
  bwrap_.privilege = Privilege::kSetuid;
  step(PrivateTmp{{"/tmp"}, 1U << 20U, true});
  EXPECT_EQ(row(step_name::kTmp).strength, Strength::kPartial);
  plan_.steps.clear();
  step(PrivateTmp{{"/tmp"}, ~std::uint64_t{0}, true});
  EXPECT_EQ(row(step_name::kTmp).strength, Strength::kEnforced);
}

TEST_F(BubblewrapCoverage, WithoutAUserNamespaceAllProcessesOfTheUserCount) {
  Identity user{};
  user.uid = 1000;
  step(user);
  step(LimitStep{LimitKind::kProcesses, 64});
  EXPECT_EQ(row(step_name::kProcessCount).strength, Strength::kEnforced);
  bwrap_.own_user_namespace = false;
  EXPECT_EQ(row(step_name::kProcessCount).strength, Strength::kPartial);
  EXPECT_NE(row(step_name::kIdentity).mechanism.find("no user namespace"), std::string::npos);
}

TEST_F(BubblewrapCoverage, OnlyACgroupLimitsRootsProcesses) {
  step(Identity{});
  step(LimitStep{LimitKind::kProcesses, 4096});
  EXPECT_EQ(row(step_name::kProcessCount).strength, Strength::kAbsent);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
