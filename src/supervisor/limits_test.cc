// limits_test.cc: the denial of a limit names its rule, and a flag that can be pasted.
#include "supervisor/limits.h"

#include <gtest/gtest.h>

namespace pinfold::supervisor {
namespace {

TEST(Limits, ADenialOffersTwiceTheAmount) {
  Plan plan;
  const auto add = [&](LimitKind kind, std::uint64_t amount, std::string where = "") {
    plan.steps.push_back(Step{LimitStep{kind, amount}, Need::kRequired, {Source::kFlag, std::move(where)}});
  };
  add(LimitKind::kWallTime, 1000, "--timeout");
  add(LimitKind::kMemory, std::uint64_t{512} << 20U, "pinfold.toml:3:1");
  add(LimitKind::kOutputSize, UINT64_MAX);
  const auto flag = [&](const char* step, const char* name) { return limit_denial(plan, step, name).allow_with; };
  EXPECT_EQ(flag(step_name::kWallTime, "--timeout"), "--timeout 2s");
  EXPECT_EQ(flag(step_name::kMemory, "--memory"), "--memory 1G");
  EXPECT_EQ(flag(step_name::kOutputSize, "--output-limit"), "") << "there is no larger amount";
  EXPECT_EQ(limit_denial(plan, step_name::kMemory, "--memory").rule, "pinfold.toml:3:1");
  EXPECT_EQ(limit_denial(plan, step_name::kOutputSize, "--output-limit").rule, "--output-limit");
}

}  // namespace
}  // namespace pinfold::supervisor
