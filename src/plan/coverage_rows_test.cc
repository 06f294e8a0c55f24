// coverage_rows_test.cc: rows and refusals.
// Not here: backends.
#include <gtest/gtest.h>

#include "pinfold/coverage.h"

namespace pinfold {
namespace {

std::string row(StepBody body) { return coverage_row(Step{std::move(body), Need::kRequired, {}}); }

TEST(CoverageRows, EachStepHasItsRow) {
  EXPECT_EQ(row(ShowPath{"/a", "/a", View::kReadExec}), "files.read");
  EXPECT_EQ(row(ShowPath{"/a", "/a", View::kWrite}), "files.write");
  EXPECT_EQ(row(HidePath{"/a"}), "files.hidden");
  EXPECT_EQ(row(HidePath{"/a", EntryKind::kFile, "**/a"}), "files.patterns");
  EXPECT_EQ(row(ProtectPath{}), "files.protected");
  EXPECT_EQ(row(ProtectName{}), "files.protected-new");
  EXPECT_EQ(row(CleanGit{}), "files.git");
  EXPECT_EQ(row(MakeLink{}), "");
  EXPECT_EQ(row(LimitStep{LimitKind::kOutputSize, 1}), "limit.output");
  EXPECT_EQ(row(SystemCalls{}), "system-calls");
  EXPECT_EQ(row(Observe{}), "observe");
}

TEST(CoverageRows, OnlyRequiredGapsRefuse) {
  const std::vector<Coverage> rows = {{"a", Need::kRequired, Strength::kEnforced, "", "", ""},
                                      {"b", Need::kRequired, Strength::kPartial, "", "gap", ""},
                                      {"c", Need::kBestEffort, Strength::kAbsent, "", "gap", ""},
                                      {"d", Need::kRequired, Strength::kAbsent, "", "gap", ""}};
  const auto refuse = gaps_that_refuse(rows);
  ASSERT_EQ(refuse.size(), 2U);
  EXPECT_EQ(refuse[0].step, "b");
  EXPECT_EQ(refuse[1].step, "d");
}

}  // namespace
}  // namespace pinfold
