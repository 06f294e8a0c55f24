// environment_test.cc: variables that pass, variables that are set, and secrets that do not pass.
// Not here: names a file may not declare (policy/builder_test.cc).
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace pinfold::plan {
namespace {

class EnvironmentTest : public testing::Test, protected PlanFixture {
 protected:
  std::vector<Variable> variables(PolicyBuilder&& b) { return all<Environment>(plan(std::move(b)))[0].variables; }
  static std::optional<std::string> value(const std::vector<Variable>& list, std::string_view name) {
    for (const Variable& one : list)
      if (one.name == name) return one.value;
    return std::nullopt;
  }
};

TEST_F(EnvironmentTest, AllowList) {
  host.var("OPENAI_API_KEY", "secret")
      .var("LC_ALL", "C")
      .var("LD_PRELOAD", "/x.so")
      .var("TMPDIR", "/host/tmp")
      .var("PINFOLD", "0");
  const auto list = variables(builder());
  EXPECT_EQ(value(list, "OPENAI_API_KEY"), std::nullopt);
  EXPECT_EQ(value(list, "LD_PRELOAD"), std::nullopt);
  EXPECT_EQ(value(list, "LC_ALL"), "C");
  EXPECT_EQ(value(list, "TMPDIR"), "/tmp");
  EXPECT_EQ(value(list, "PINFOLD"), "1");
  EXPECT_EQ(value(list, "PINFOLD_NETWORK"), "off");
  EXPECT_EQ(value(list, "LOGNAME"), "ada");
  EXPECT_TRUE(std::is_sorted(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  EXPECT_EQ(describe(plan()).find("secret"), std::string::npos);
}

TEST_F(EnvironmentTest, DeclaredVariables) {
  host.var("KEY", "k").var("MY_A", "1").var("MY_B", "2");
  const auto list = variables(std::move(builder()
                                            .env("KEY", flag("--env"))
                                            .env("NEW=v", flag("--env"))
                                            .env("MY_*", flag("--env"))
                                            .env("LANG=de", flag("--env"))
                                            .env("MISSING", flag("--env"))
                                            .env("TMPDIR=/var/tmp", flag("--env"))));
  EXPECT_EQ(value(list, "KEY"), "k");
  EXPECT_EQ(value(list, "NEW"), "v");
  EXPECT_EQ(value(list, "MY_B"), "2");
  EXPECT_EQ(value(list, "LANG"), "de");
  EXPECT_EQ(value(list, "MISSING"), std::nullopt);
  EXPECT_EQ(value(list, "TMPDIR"), "/var/tmp");
}

TEST_F(EnvironmentTest, AFileCannotSmuggleByPattern) {
  host.var("NODE_OPTIONS", "/x").var("NODE_OTHER", "y");
  const auto list = variables(std::move(builder().env("NODE_*", {Source::kProjectFile, "pinfold.toml:1"})));
  EXPECT_EQ(value(list, "NODE_OPTIONS"), std::nullopt);
  EXPECT_EQ(value(list, "NODE_OTHER"), "y");
}

TEST_F(EnvironmentTest, AllWithoutTheNetworkVariables) {
  host.var("A", "1").var("PINFOLD_NETWORK", "lie");
  const auto list =
      variables(std::move(builder().env("*", flag("--env")).allow(danger::HostNetwork("t"), flag("--net"))));
  EXPECT_EQ(value(list, "A"), "1");
  EXPECT_EQ(value(list, "PINFOLD_NETWORK"), "on");
  EXPECT_EQ(value(variables(std::move(builder().network_domain("x.org", flag("--net")))), "PINFOLD_NETWORK"),
            "domains");
}

TEST_F(EnvironmentTest, WithoutAnEnvironment) {
  FakeHost bare;
  bare.dir("/home/ada/ws").dir("/usr/bin");
  auto policy = builder().build();
  auto scope = policy::Scope::build(*policy, bare);
  ASSERT_TRUE(scope);
  auto made = compile(*scope, bare, invocation, bounds);
  ASSERT_TRUE(made) << made.error().text();
  const auto list = all<Environment>(*made)[0].variables;
  EXPECT_EQ(value(list, "PATH"), "/usr/local/bin:/usr/bin:/bin");
  EXPECT_EQ(value(list, "HOME"), "/home/ada");
  EXPECT_EQ(value(list, "USER"), "ada");
}

TEST_F(EnvironmentTest, TmpdirAvoidsAShownTmp) {
  EXPECT_EQ(value(variables(std::move(builder().read("/tmp", flag("--read")))), "TMPDIR"), "/var/tmp");
}

}  // namespace
}  // namespace pinfold::plan
