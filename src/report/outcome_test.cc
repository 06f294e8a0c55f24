// outcome_test.cc: the exit-code contract (docs/reference/exit-codes.md), case by case.
#include "report/outcome.h"

#include <csignal>

#include <gtest/gtest.h>

namespace pinfold {
namespace {

TEST(ExitCode, FollowsTheContract) {
  EXPECT_EQ(exit_code(Exited{0}), 0);
  EXPECT_EQ(exit_code(Exited{7}), 7);
  EXPECT_EQ(exit_code(Exited{255}), 255);
  EXPECT_EQ(exit_code(Signaled{SIGKILL, ""}), 137);
  EXPECT_EQ(exit_code(Signaled{SIGTERM, "limit.memory"}), 143);
  EXPECT_EQ(exit_code(TimedOut{std::chrono::milliseconds(5)}), 124);
  EXPECT_EQ(exit_code(Refused{RefusedBy::kPolicy, "", ""}), 126);
  EXPECT_EQ(exit_code(Refused{RefusedBy::kEnforcement, "", ""}), 125);
  EXPECT_EQ(exit_code(SetupFailed{SetupStage::kSandbox, "", ""}), 125);
  EXPECT_EQ(exit_code(SetupFailed{SetupStage::kNotFound, "", ""}), 127);
}

TEST(ExitCode, OfErrorsFollowsTheirKind) {
  const auto code = [](ErrorKind kind) { return exit_code(report::outcome_of(Error(kind, "x", "y"))); };
  EXPECT_EQ(code(ErrorKind::kInvalid), 125);
  EXPECT_EQ(code(ErrorKind::kRefused), 126);
  EXPECT_EQ(code(ErrorKind::kNotFound), 127);
  EXPECT_EQ(code(ErrorKind::kUnavailable), 125);
  EXPECT_EQ(code(ErrorKind::kSystem), 125);
}

TEST(SignalName, KnowsTheUsualOnes) {
  EXPECT_EQ(report::signal_name(SIGKILL), "SIGKILL");
  EXPECT_EQ(report::signal_name(SIGSYS), "SIGSYS");
  EXPECT_EQ(report::signal_name(40), "signal 40");
}

}  // namespace
}  // namespace pinfold
