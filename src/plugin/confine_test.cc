// confine_test.cc: a plugin's policy has the manifest's permissions and its runtime's needs, each with its origin.
#include "plugin/confine.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::plugin {
namespace {

class ConfineTest : public testing::Test {
 protected:
  ConfineTest() {
    host.debian().file("/home/ada/.config/pinfold/plugins/p/main.py").dir("/home/ada/Documents").dir("/data");
    plugin.name = "p";
    plugin.folder = "/home/ada/.config/pinfold/plugins/p";
    plugin.manifest = Manifest{"org.example.p", "P", "1", {}, {}, Runtime::kPython, "main.py", {}, {}};
  }
  Result<ConfinedPlugin> make() { return confine(plugin, {"/home/ada", "/home/ada"}, host); }
  Permissions& requested() { return plugin.manifest->permissions; }
  static const PathRule* rule(const Policy& policy, const std::string& path) {
    const PathRule* out = nullptr;
    for (const PathRule& one : policy.paths)
      if (one.path == path) out = &one;
    return out;
  }
  std::string problem() {
    const auto made = make();
    return made ? "" : made.error().text();
  }
  FakeHost host;
  InstalledPlugin plugin;
};

TEST_F(ConfineTest, Nothing) {
  host.var("SECRET_API_KEY", "s");
  const auto made = make();
  ASSERT_TRUE(made) << made.error().text();
  const Policy& policy = made->policy;
  EXPECT_EQ(policy.network.mode, NetworkMode::kNone);
  EXPECT_EQ(policy.exec.mode, ExecMode::kNone);
  EXPECT_EQ(policy.on_unavailable, OnUnavailable::kDeny);
  EXPECT_EQ(policy.home, HomeMode::kHost);
  EXPECT_FALSE(policy.limits.wall_time);
  for (const char* path : {"/usr", "/etc", "/bin", "/usr/bin", "/home/ada/Documents", "/etc/ssl/certs"})
    EXPECT_EQ(rule(policy, path), nullptr) << path;
  EXPECT_EQ(rule(policy, "/home/ada")->access, Access::kHide);
  EXPECT_EQ(rule(policy, plugin.folder)->access, Access::kRead);
  EXPECT_EQ(rule(policy, made->private_home)->access, Access::kWrite);
  EXPECT_EQ(made->private_home, "/home/ada/.local/state/pinfold/plugins/org.example.p/home");
  for (const EnvRule& one : policy.environment) {
    EXPECT_NE(one.name, "*");
    EXPECT_NE(one.name, "SECRET_API_KEY");
    EXPECT_NE(one.name, "PYTHONPATH");
  }
  EXPECT_EQ(made->working_dir, plugin.folder);
}

TEST_F(ConfineTest, EveryPermissionBecomesARuleWithItsOrigin) {
  requested().network = {{"api.example.org", {3, 7}}};
  requested().filesystem = {{"~/Documents", FileAccess::kRead, {4, 1}}, {"/data", FileAccess::kReadWrite, {5, 1}}};
  requested().environment = {{"LEVEL", {6, 1}}};
  requested().shell = RequestedShell{{{"git", {7, 2}}}, {7, 1}};
  const auto made = make();
  ASSERT_TRUE(made) << made.error().text();
  const Policy& policy = made->policy;
  EXPECT_EQ(policy.network.mode, NetworkMode::kDomains);
  EXPECT_EQ(policy.network.domains.at(0).origin.where, plugin.manifest_file() + ":3:7");
  EXPECT_EQ(rule(policy, "/home/ada/Documents")->access, Access::kRead);
  EXPECT_EQ(rule(policy, "/home/ada/Documents")->origin.where, plugin.manifest_file() + ":4:1");
  EXPECT_EQ(rule(policy, "/data")->access, Access::kWrite);
  EXPECT_NE(rule(policy, "/etc/ssl/certs"), nullptr);
  EXPECT_EQ(policy.exec.mode, ExecMode::kList);
  EXPECT_EQ(policy.exec.commands, (std::vector<std::string>{"/bin/sh", "/usr/bin/git"}));
  EXPECT_EQ(policy.exec.origin.where, plugin.manifest_file() + ":7:1");
}

TEST_F(ConfineTest, RefusesPathsThatNoPluginMayGet) {
  const auto with = [&](const char* path, FileAccess access) {
    requested() = {};
    requested().filesystem = {{path, access, {2, 2}}};
    return problem();
  };
  for (const char* path : {"~/.config", "~/.config/pinfold", "~/.local/state", "~/.local/state/pinfold/x"})
    EXPECT_NE(with(path, FileAccess::kRead).find("Pinfold's own"), std::string::npos) << path;
  EXPECT_NE(with("/home/ada/.config/pinfold/plugins/p", FileAccess::kReadWrite).find("own folder"), std::string::npos);
  EXPECT_NE(with("/home", FileAccess::kRead), "");
  EXPECT_NE(with("/home/ada", FileAccess::kRead), "");
  host.link("/home/ada/way", "/home/ada/.config/pinfold");
  EXPECT_NE(with("~/way", FileAccess::kReadWrite), "") << "by a link";
  EXPECT_NE(with("/proc/1", FileAccess::kRead).find(":2:2"), std::string::npos);
}

TEST_F(ConfineTest, Secrets) {
  requested().secrets = {{"TOKEN", {9, 9}}};
  EXPECT_NE(problem().find(":9:9: the secret TOKEN is neither in the environment nor in"), std::string::npos);
  host.file("/home/ada/.config/pinfold/secrets/TOKEN", "value\n");
  EXPECT_NE(problem().find("not yours alone"), std::string::npos) << "0644";
  host.owned("/home/ada/.config/pinfold/secrets/TOKEN", 1000, 0600);
  const auto made = make();
  ASSERT_TRUE(made) << made.error().text();
  bool found = false;
  for (const EnvRule& one : made->policy.environment) found = found || (one.name == "TOKEN" && one.value == "value");
  EXPECT_TRUE(found);
  for (const std::string& word : made->argv) EXPECT_EQ(word.find("value"), std::string::npos);
  host.owned("/home/ada/.config/pinfold/secrets/TOKEN", 1001, 0600);
  EXPECT_NE(problem().find("not yours alone"), std::string::npos) << "another user's";
  host.var("TOKEN", "from outside");
  EXPECT_TRUE(make());
}

TEST_F(ConfineTest, ReportsAMissingCommand) {
  requested().shell = RequestedShell{{{"nothing", {7, 2}}}, {7, 1}};
  EXPECT_NE(problem().find(":7:2: the command nothing was not found"), std::string::npos);
}

}  // namespace
}  // namespace pinfold::plugin
