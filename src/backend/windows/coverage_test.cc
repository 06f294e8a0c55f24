// coverage_test.cc: nothing is called enforced that Windows has no mechanism for.
#include "backend/windows/coverage.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace pinfold::backend::on_windows {
namespace {

using std::string;

Step step(StepBody body) { return {std::move(body), Need::kRequired, {}}; }

Plan ordinary() {
  Plan plan;
  plan.steps = {step(Identity{}),
                step(SystemCalls{}),
                step(Processes{}),
                step(Devices{}),
                step(PrivateTmp{}),
                step(Network{}),
                step(ExecLimit{ExecMode::kAny, {}, {}}),
                step(Terminal{}),
                step(Environment{}),
                step(ShowPath{"/c/Windows", "/c/Windows", View::kReadExec, EntryKind::kDirectory, Ensure::kExists, {}}),
                step(ShowPath{"/c/ws", "/c/ws", View::kWriteExec, EntryKind::kDirectory, Ensure::kExists, {}})};
  return plan;
}

std::map<string, Coverage> rows(const Plan& plan, const WindowsFacts& facts) {
  std::map<string, Coverage> out;
  for (Coverage& row : windows_coverage(plan, acl_plan(plan, facts.system), facts)) out[row.step] = row;
  return out;
}
WindowsFacts windows_11() { return {"", "", Streams::kElsewhere, {"/c/Windows"}}; }

TEST(WindowsCoverage, WithoutAppContainersNothingIsEnforced) {
  WindowsFacts facts = windows_11();
  facts.no_container = "no CreateAppContainerProfile";
  const auto found = rows(ordinary(), facts);
  for (const char* name : {step_name::kRead, step_name::kWrite, step_name::kNetwork, step_name::kProcesses,
                           step_name::kTmp, step_name::kDevices, step_name::kExec, step_name::kIdentity}) {
    EXPECT_EQ(found.at(name).strength, Strength::kAbsent) << name;
    EXPECT_NE(found.at(name).gap.find("CreateAppContainerProfile"), string::npos) << name;
  }
  EXPECT_EQ(found.at(step_name::kEnvironment).strength, Strength::kEnforced);
}

TEST(WindowsCoverage, EveryGapHasATextAndNoEnforcedRowHasOne) {
  for (const char* missing : {"", "missing"}) {
    WindowsFacts facts = windows_11();
    facts.no_container = missing;
    for (const auto& [name, row] : rows(ordinary(), facts)) {
      EXPECT_EQ(row.strength == Strength::kEnforced, row.gap.empty()) << name;
      EXPECT_FALSE(row.mechanism.empty()) << name;
    }
  }
}

TEST(WindowsCoverage, Network) {
  Plan plan = ordinary();
  EXPECT_EQ(rows(plan, windows_11()).at(step_name::kNetwork).strength, Strength::kEnforced);
  Network domains{NetworkMode::kDomains, {DomainRule{}}};
  plan.steps[5] = step(domains);
  EXPECT_EQ(rows(plan, windows_11()).at(step_name::kNetwork).strength, Strength::kAbsent);
  plan.steps[5] = step(Network{NetworkMode::kFull, {}});
  EXPECT_EQ(rows(plan, windows_11()).at(step_name::kNetwork).strength, Strength::kEnforced);
}

TEST(WindowsCoverage, SystemDirectoriesNeedARule) {
  Plan plan = ordinary();
  plan.steps[9] = step(ShowPath{"/c/data", "/c/data", View::kRead, EntryKind::kDirectory, Ensure::kExists, {}});
  const auto found = rows(plan, windows_11());
  EXPECT_EQ(found.at(step_name::kRead).strength, Strength::kPartial);
  EXPECT_EQ(found.at(step_name::kRead).fix, "--read /c/Windows");
}

TEST(WindowsCoverage, ConsoleInputIsAGap) {
  WindowsFacts facts = windows_11();
  EXPECT_EQ(rows(ordinary(), facts).at(step_name::kTerminal).strength, Strength::kEnforced);
  facts.streams = Streams::kConsole;
  EXPECT_EQ(rows(ordinary(), facts).at(step_name::kTerminal).strength, Strength::kPartial);
}

TEST(WindowsCoverage, StepsThatWindowsCannotEnforce) {
  Plan plan = ordinary();
  plan.steps.push_back(step(ExecLimit{ExecMode::kList, {"/c/x.exe"}, {}}));
  plan.steps.push_back(step(ProtectName{"/c/ws", ".vscode", NameGuard::kPlaceholder, false}));
  plan.steps.push_back(step(LimitStep{LimitKind::kFileSize, 1}));
  plan.steps.push_back(step(LimitStep{LimitKind::kOutputSize, 1}));
  plan.steps.push_back(step(HidePath{"/c/Windows/x", EntryKind::kFile, {}}));
  const auto found = rows(plan, windows_11());
  for (const char* name : {step_name::kExec, step_name::kProtectedNew, step_name::kFileSize, step_name::kOutputSize,
                           step_name::kHidden, step_name::kSystemCalls})
    EXPECT_EQ(found.at(name).strength, Strength::kAbsent) << name;
  plan.gaps.push_back({step_name::kPatterns, Need::kRequired, "the search was cut short"});
  EXPECT_EQ(rows(plan, windows_11()).at(step_name::kPatterns).strength, Strength::kPartial);
}

}  // namespace
}  // namespace pinfold::backend::on_windows
