// own_directories_test.cc: Pinfold's own directories in scopes and plans.
// Not here: that backends really hide them (tests/cli/own_directories.py).
#include <gtest/gtest.h>

#include "plan/missing_own.h"
#include "plan/plan_fixture.h"
#include "plan/plan_view.h"

namespace pinfold::plan {
namespace {

constexpr const char* kSecret = "/home/ada/.config/pinfold/secrets/TOKEN";

class OwnDirectoriesTest : public testing::Test, protected PlanFixture {
 protected:
  OwnDirectoriesTest() { host.var("HOME", "/home/ada").home("/home/ada"); }

  void make_own() {
    host.file(kSecret)
        .dir("/home/ada/.local/state/pinfold")
        .dir("/home/ada/.cache/pinfold")
        .file("/home/ada/.config/x");
  }
  policy::Scope scope(PolicyBuilder&& b) {
    auto policy = std::move(b).build();
    if (!policy) throw std::runtime_error(policy.error().text());
    auto made = policy::Scope::build(*policy, host);
    if (!made) throw std::runtime_error(made.error().text());
    return std::move(*made);
  }
};

TEST_F(OwnDirectoriesTest, NoRuleShowsThem) {
  make_own();
  for (const char* shown : {"/home/ada", "/home/ada/.config"}) {
    const policy::Scope made = scope(std::move(builder().read(shown, flag("--read"))));
    const policy::Decision decision = made.decide(kSecret);
    EXPECT_EQ(decision.access, Access::kHide) << shown;
    EXPECT_EQ(decision.allow_with, "") << shown;
    EXPECT_NE(decision.reason.find("no sandbox shows"), std::string::npos) << decision.reason;
    EXPECT_EQ(made.decide("/home/ada/.config/x").access, Access::kRead) << shown;
  }
}

TEST_F(OwnDirectoriesTest, ARuleForOneOfThemIsAnError) {
  make_own();
  for (const char* path : {"/home/ada/.config/pinfold", kSecret, "/home/ada/.local/state/pinfold"}) {
    const auto made = try_plan(std::move(builder().read(path, flag("--read"))));
    ASSERT_FALSE(made) << path;
    EXPECT_NE(made.error().text().find("which no sandbox shows"), std::string::npos) << made.error().text();
  }
  // "Create it first" would be a wrong fix: it can never be granted.
  const auto missing = try_plan(std::move(builder().write("/home/ada/.config/pinfold/none", flag("--write"))));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text().find("which no sandbox shows"), std::string::npos) << missing.error().text();
  EXPECT_NE(missing.error().fix().find("cannot be granted"), std::string::npos) << missing.error().fix();
  // One that need not be there is left out.
  EXPECT_EQ(scope(std::move(builder().read(kSecret, flag("--read"), Missing::kSkip))).decide(kSecret).access,
            Access::kHide);
}

TEST_F(OwnDirectoriesTest, TheyFollowTheEnvironmentAndLinks) {
  make_own();
  host.file("/big/real/pinfold/secrets/A").link("/home/ada/c", "/big/real").var("XDG_CONFIG_HOME", "/home/ada/c");
  const policy::Scope made = scope(std::move(builder().read("/big", flag("--read")).read("/home/ada", flag("--read"))));
  EXPECT_EQ(made.decide("/big/real/pinfold/secrets/A").access, Access::kHide);
  EXPECT_EQ(made.decide(kSecret).access, Access::kHide) << "the usual place is another environment's";
  host.home("/srv/ada").file("/srv/ada/.config/pinfold/secrets/B");
  EXPECT_EQ(
      scope(std::move(builder().read("/srv", flag("--read")))).decide("/srv/ada/.config/pinfold/secrets/B").access,
      Access::kHide)
      << "the home of the user database";
}

TEST_F(OwnDirectoriesTest, PinsTheirParentsInAWritableRoot) {
  make_own();
  const Plan made = plan(std::move(builder().write("/home/ada", flag("--write"))));
  const auto* hide = at<HidePath>(made, "/home/ada/.local/state/pinfold");
  ASSERT_NE(hide, nullptr);
  EXPECT_TRUE(hide->own);
  EXPECT_EQ(hide->pins, (std::vector<std::string>{"/home/ada/.local", "/home/ada/.local/state"}));
  EXPECT_EQ(at<HidePath>(plan(), "/home/ada/.local/state/pinfold"), nullptr) << "nothing around it is shown";
}

TEST_F(OwnDirectoriesTest, GrantsCannotShowThem) {
  make_own();
  for (const Plan& made : {plan(), plan(std::move(builder().read("/home/ada", flag("--read"))))}) {
    const PlanView view(made);
    EXPECT_TRUE(view.look_up(kSecret).own);
    EXPECT_EQ(view.look_up(kSecret).state, PathState::kHidden);
    EXPECT_FALSE(view.look_up("/home/ada/.config/x").own);
  }
}

TEST_F(OwnDirectoriesTest, ListsMissingOnesThatWouldBeVisible) {
  EXPECT_TRUE(missing_own(plan(), host).empty());
  const auto missing = missing_own(plan(std::move(builder().read("/home/ada", flag("--read")))), host);
  std::vector<std::string> paths;
  for (const policy::OwnDirectory& each : missing) paths.push_back(each.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/home/ada/.config/pinfold", "/home/ada/.local/state/pinfold",
                                             "/home/ada/.cache/pinfold"}));
}

}  // namespace
}  // namespace pinfold::plan
