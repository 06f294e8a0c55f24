// wide_view_test.cc: everything but secrets can be read, nothing more can be written, on a host in memory.
#include "learn/wide_view.h"

#include <gtest/gtest.h>

#include "plan/plan_fixture.h"
#include "plan/plan_view.h"

namespace pinfold::learn {
namespace {

using plan::PathState;

class WideView : public ::testing::Test, protected plan::PlanFixture {
 protected:
  WideView() {
    host.file("/srv/data/x").file("/srv/data/.env").file("/home/bob/x").file("/var/backups/x").file("/run/x");
    host.file("/home/ada/notes")
        .file("/home/ada/.ssh/id")
        .file("/home/ada/.config/gh/hosts.yml")
        .file("/home/ada/.m2/x");
    host.file("/home/ada/code/.env").file("/home/ada/code/main.c").file("/home/ada/.local/bin/tool");
    host.file("/home/ada/.local/other/x").link("/home/ada/away", "/run").other("/home/ada/socket", HostKind::kSocket);
  }
  // The builder's functions give it back as it is.
  Plan wide(PolicyBuilder& b) {
    auto policy = std::move(b).build();
    auto scope = policy::Scope::build(*policy, host);
    base = *plan::compile(*scope, host, invocation);
    const Secrets secrets({"/home/ada", "/home/ada/ws"}, host);
    auto more = policy::Scope::build(wide_view(*scope, base, secrets, host), host);
    if (!more) throw std::runtime_error(more.error().text());
    return *plan::compile(*more, host, invocation, {100'000, 10'000});
  }
  Plan base;
};

TEST_F(WideView, ShowsAllButSecrets) {
  const Plan plan = wide(builder().workspace("/home/ada/ws", plan::flag("--workspace")));
  const plan::PlanView view(plan);
  for (const char* path : {"/srv/data/x", "/home/ada/notes", "/home/ada/code/main.c", "/home/ada/.local/other/x",
                           "/home/ada/.local/bin/tool", "/usr/bin/env"})
    EXPECT_EQ(view.look_up(path).state, PathState::kReadOnly) << path;
  for (const char* path : {"/srv/data/.env", "/home/bob/x", "/var/backups/x", "/run/x", "/home/ada/.ssh/id",
                           "/home/ada/.config/gh/hosts.yml", "/home/ada/code/.env", "/home/ada/socket", "/root/x"})
    EXPECT_EQ(view.look_up(path).state, PathState::kHidden) << path;
}

TEST_F(WideView, AddsNoWritablePath) {
  const Plan plan = wide(builder().workspace("/home/ada/ws", plan::flag("--workspace")));
  for (const ShowPath& show : all<ShowPath>(plan))
    if (show.view == View::kWrite || show.view == View::kWriteExec) {
      const auto* before = at<ShowPath>(base, show.at);
      ASSERT_NE(before, nullptr) << show.at;
      EXPECT_EQ(before->view, show.view) << show.at;
      EXPECT_EQ(before->host, show.host) << show.at;
    }
  for (const Network& network : all<Network>(plan)) EXPECT_EQ(network.domains.size(), 1u);
}

TEST_F(WideView, CachesStayPrivate) {
  const Plan plan = wide(builder().workspace("/home/ada/ws", plan::flag("--workspace")));
  EXPECT_EQ(all<MakeLink>(plan).size(), all<MakeLink>(base).size());
  EXPECT_NE(at<MakeLink>(plan, "/home/ada/.m2"), nullptr);
}

TEST_F(WideView, KeepsPathsThatTheUserHid) {
  const Plan plan = wide(builder()
                             .workspace("/home/ada/ws", plan::flag("--workspace"))
                             .hide("/srv", plan::flag("--hide"))
                             .hide("/home/ada/code", plan::flag("--hide")));
  const plan::PlanView view(plan);
  for (const char* path : {"/srv/data/x", "/home/ada/code/main.c"})
    EXPECT_EQ(view.look_up(path).state, PathState::kHidden) << path;
}

TEST_F(WideView, OnTopOfAReadOnlyProfileTheWorkspaceIsWritable) {
  const Plan plan = wide(builder("read-only").workspace("/home/ada/ws", plan::flag("--workspace")));
  EXPECT_EQ(plan::PlanView(plan).look_up("/home/ada/ws/x").state, PathState::kWritable);
}

TEST_F(WideView, DecidesByTheBaseProfile) {
  Plan plan = wide(builder().workspace("/home/ada/ws", plan::flag("--workspace")));
  watch(plan, base);
  std::size_t asked = 0;
  for (const Step& step : plan.steps)
    if (const auto* observe = std::get_if<Observe>(&step.body)) {
      ASSERT_TRUE(observe->as_if);
      EXPECT_EQ(observe->as_if->steps.size(), base.steps.size());
      EXPECT_EQ(observe->mode, ObserveMode::kFull);
      EXPECT_EQ(step.need, Need::kRequired);
      ++asked;
    }
  EXPECT_EQ(asked, 1u);
}

}  // namespace
}  // namespace pinfold::learn
