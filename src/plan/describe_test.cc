// describe_test.cc: one line for each step, for any names in it.
// Not here: whole plans (compile_test.cc).
#include <gtest/gtest.h>

#include "base/domain.h"
#include "pinfold/plan.h"

namespace pinfold {
namespace {

const Origin kFlag{Source::kFlag, "--x"};
std::string say(StepBody body, Need need = Need::kRequired) { return describe(Step{std::move(body), need, kFlag}); }

TEST(Describe, Steps) {
  EXPECT_EQ(say(ShowPath{"/h", "/a b", View::kWrite}), "show          /a b write from /h  [--x]");
  EXPECT_EQ(say(HidePath{"/a\n"}), "hide          /a\\n  [--x]");
  EXPECT_EQ(say(ProtectPath{"/a/b", EntryKind::kFile, {"/a"}}), "protect       /a/b pinning /a  [--x]");
  EXPECT_EQ(say(ProtectName{"/a", "b", NameGuard::kPlaceholder}), "protect-name  b in /a by placeholder  [--x]");
  EXPECT_EQ(say(LimitStep{LimitKind::kMemory, 1 << 20}, Need::kBestEffort),
            "limit         memory 1M  [--x] best effort");
  EXPECT_EQ(say(LimitStep{LimitKind::kWallTime, 1500}), "limit         time 1500ms  [--x]");
  EXPECT_EQ(say(ExecLimit{ExecMode::kNone, {"/usr/bin/x"}, {}}), "exec          no children; /usr/bin/x  [--x]");
  EXPECT_EQ(say(ExecLimit{ExecMode::kList, {"/a", "/b"}, {}}), "exec          only /a /b  [--x]");
  EXPECT_EQ(say(Network{NetworkMode::kDomains, {*parse_rule("x.org", {}), *parse_rule("!*.y:22", {})}}),
            "network       domains x.org !*.y:22  [--x]");
  EXPECT_EQ(say(Environment{{{"SECRET", "hunter2", kFlag}}}), "environment   SECRET  [--x]");
}

TEST(Describe, GapsAndTheStart) {
  Plan plan;
  plan.gaps.push_back({"files.patterns", Need::kBestEffort, "not searched: /x"});
  plan.working_dir = "/w";
  EXPECT_EQ(describe(plan), "gap           files.patterns: not searched: /x best effort\nstart-in      /w\n");
}

}  // namespace
}  // namespace pinfold
