// plan_view_test.cc: the deepest step decides.
#include "plan/plan_view.h"

#include <gtest/gtest.h>

namespace pinfold::plan {
namespace {

// Only the fields that matter here, so that new fields of a step need no change.
ShowPath show(std::string path, View view) {
  ShowPath step;
  step.host = step.at = std::move(path);
  step.view = view;
  return step;
}

Plan sample() {
  Plan plan;
  const Origin preset{Source::kPreset, "preset moderate"};
  plan.steps = {{show("/ws", View::kWriteExec), Need::kRequired, {Source::kFlag, "--workspace"}},
                {ProtectPath{"/ws/.git/hooks", EntryKind::kDirectory, {"/ws/.git"}}, Need::kRequired, preset},
                {MakeDirectory{"/home/ada"}, Need::kRequired, preset},
                {show("/home/ada/.cargo", View::kReadExec), Need::kRequired, preset}};
  return plan;
}

TEST(PlanView, TheDeepestStepDecides) {
  const Plan plan = sample();
  const PlanView view(plan);
  EXPECT_EQ(view.look_up("/ws/a/b").state, PathState::kWritable);
  EXPECT_EQ(view.look_up("/wsx").state, PathState::kHidden);
  EXPECT_EQ(view.look_up("/ws/.git/hooks/pre-commit").rule, "protected name .git/hooks (preset moderate)");
  EXPECT_EQ(view.look_up("/home/ada").state, PathState::kReadOnly);
  EXPECT_EQ(view.look_up("/home/ada/x").state, PathState::kHidden);
  EXPECT_EQ(view.look_up("/home/ada/.cargo/bin").rule, "read-only (preset moderate)");
  EXPECT_EQ(view.look_up("/").state, PathState::kHidden);
  EXPECT_EQ(view.look_up("").rule, "not visible: no rule grants this path");
}

TEST(PlanView, TheRootCanBeShown) {
  Plan plan;
  plan.steps = {{show("/", View::kWriteExec), Need::kRequired, {}}};
  EXPECT_EQ(PlanView(plan).look_up("/any/where").state, PathState::kWritable);
}

}  // namespace
}  // namespace pinfold::plan
