// sbpl_plugin_test.cc: the examples of plugins (examples/plugins), confined as `pinfold plugin` does it, as profiles:
// golden files, and the escape tests that the seeds list for plugins on macOS, answered by the evaluator. Not here:
// running a plugin (tests/plugins).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "backend/darwin/sbpl.h"
#include "backend/darwin/sbpl_evaluator.h"
#include "plan/compile.h"
#include "plugin/confine.h"
#include "policy/scope.h"
#include "sbpl_golden.h"
#include "sbpl_world.h"

namespace pinfold::backend::darwin {
namespace {

constexpr std::uint16_t kPort = 4711;

class SbplPlugin : public testing::Test {
 protected:
  SbplPlugin() {
    make_mac(host).dir("/Users/ada/Documents/notes").var("JIRA_API_TOKEN", "secret").var("JIRA_URL", "https://jira");
    host.var("SECRET_API_KEY", "sk-secret-12345").program("/bin/echo");
  }

  Plan confined(const std::string& name, const std::string& text) {
    const std::string folder = "/Users/ada/.config/pinfold/plugins/" + name;
    host.dir(folder + "/dist").file(folder + "/dist/index.js").file(folder + "/server.py").program(folder + "/clock");
    host.file(folder + "/pinfold.plugin.json");
    plugin::InstalledPlugin installed{name, folder, {}, {}};
    auto manifest = plugin::read_manifest(text, installed.manifest_file());
    EXPECT_TRUE(manifest) << manifest.error().text();
    installed.manifest = std::move(*manifest);
    const Caller caller{"/Users/ada", folder, Platform::kMacos};
    auto made = plugin::confine(installed, caller, host);
    EXPECT_TRUE(made) << made.error().text();
    if (!made) return {};
    host.dir(made->private_home);
    const auto scope = policy::Scope::build(made->policy, host);
    EXPECT_TRUE(scope) << scope.error().text();
    if (!scope) return {};
    plan::Invocation invocation;
    invocation.working_dir = made->working_dir;
    invocation.argv = made->argv;
    invocation.implied_shell = true;  // as plugin_run.cc does
    auto plan = plan::compile(*scope, host, invocation);
    EXPECT_TRUE(plan) << plan.error().text();
    return plan ? std::move(*plan) : Plan{};
  }
  Plan with(const std::string& permissions) {
    return confined("own", R"({"id": "own", "name": "Own", "version": "1", "runtime": "node", "entry": "dist/index.js",
                              "permissions": )" +
                               permissions + "}");
  }
  static Profile profile(const Plan& plan) {
    return make_profile(plan, {"/private/var/folders/ab/T/run", ""}, "pinfold-1", kPort);
  }
  static bool allows(const Plan& plan, const Operation& tried) {
    const Profile made = profile(plan);
    const Evaluator box(made.text, {made.parameters.begin(), made.parameters.end()});
    EXPECT_EQ(box.allows(tried), box.allows_by_most_specific_operation(tried)) << tried.operation << " " << tried.path;
    return box.allows(tried);
  }

  FakeHost host;
};

TEST_F(SbplPlugin, ExamplesAreAsInTheGoldenFiles) {
  for (const std::string name : {"jira", "notes", "clock"}) {
    std::ifstream file(PINFOLD_ROOT "/examples/plugins/" + name + "/pinfold.plugin.json");
    std::ostringstream text;
    text << file.rdbuf();
    is_as_golden("plugin-" + name, profile(confined(name, text.str())).text);
  }
}

// By the names that the seed gives them.
TEST_F(SbplPlugin, NoNetworkCannotConnect) {
  const Plan plan = with("{}");
  EXPECT_FALSE(allows(plan, {"network-outbound", "", "", "93.184.216.34:80"}));
  EXPECT_FALSE(allows(plan, {"network-outbound", "", "", "localhost:4711"}));
  EXPECT_FALSE(allows(plan, {"network-outbound", "/private/var/run/mDNSResponder"}));
}
TEST_F(SbplPlugin, WithNetworkCanConnectToDeclaredDomain) {
  const Plan plan = with(R"({"network": ["httpbin.org"]})");
  EXPECT_TRUE(allows(plan, {"network-outbound", "", "", "localhost:4711"}));  // the proxy, which knows the name
  EXPECT_FALSE(allows(plan, {"network-outbound", "", "", "93.184.216.34:80"}));
}
TEST_F(SbplPlugin, CannotReadHomeSsh) {
  EXPECT_FALSE(allows(with("{}"), {"file-read-data", "/Users/ada/.ssh/id_rsa"}));
}
TEST_F(SbplPlugin, CanReadOwnDirectory) {
  const Plan plan = with("{}");
  EXPECT_TRUE(allows(plan, {"file-read-data", "/Users/ada/.config/pinfold/plugins/own/pinfold.plugin.json"}));
  EXPECT_FALSE(allows(plan, {"file-write-data", "/Users/ada/.config/pinfold/plugins/own/pinfold.plugin.json"}));
  EXPECT_FALSE(allows(plan, {"file-read-data", "/Users/ada/.config/pinfold/plugins/other/x"}));
}
TEST_F(SbplPlugin, ReadonlyFilesystemCannotWrite) {
  const Plan plan = with(R"({"filesystem": [{"path": "~/Documents", "access": "read"}]})");
  EXPECT_TRUE(allows(plan, {"file-read-data", "/Users/ada/Documents/report.pdf"}));
  EXPECT_FALSE(allows(plan, {"file-write-create", "/Users/ada/Documents/test.txt"}));
  EXPECT_FALSE(allows(plan, {"file-read-data", "/Users/ada/Desktop/x"}));
}
TEST_F(SbplPlugin, CannotReadUndeclaredEnvVars) {
  const Plan plan = with(R"({"environment": ["ALLOWED_VAR"]})");
  for (const Step& step : plan.steps)
    if (const auto* environment = std::get_if<Environment>(&step.body)) {
      const auto has = [&](const char* name) {
        return std::any_of(environment->variables.begin(), environment->variables.end(),
                           [&](const Variable& each) { return each.name == name; });
      };
      EXPECT_FALSE(has("SECRET_API_KEY"));
      EXPECT_TRUE(has("PATH"));
      return;
    }
  FAIL() << "no environment";
}
TEST_F(SbplPlugin, NoShellCannotSpawn) {
  const Plan plan = with("{}");
  EXPECT_FALSE(allows(plan, {"process-fork"}));
  EXPECT_FALSE(allows(plan, {"process-exec", "/usr/bin/whoami"}));
  EXPECT_FALSE(allows(plan, {"process-exec", "/bin/sh"}));
  EXPECT_TRUE(allows(plan, {"process-exec", "/opt/homebrew/bin/node"}));
}
TEST_F(SbplPlugin, WithShellCanRunDeclaredCommand) {
  const Plan plan = with(R"({"shell": {"commands": ["echo"]}})");
  EXPECT_TRUE(allows(plan, {"process-fork"}));
  EXPECT_TRUE(allows(plan, {"process-exec", "/bin/sh"}));
  EXPECT_TRUE(allows(plan, {"process-exec", "/bin/echo"}));
  EXPECT_FALSE(allows(plan, {"process-exec", "/usr/bin/curl"}));
}
TEST_F(SbplPlugin, CannotWriteGlobalTmp) {
  EXPECT_FALSE(allows(with("{}"), {"file-write-create", "/private/tmp/global-pwned.txt"}));
}
TEST_F(SbplPlugin, CanWriteOwnTmp) {
  EXPECT_TRUE(allows(with("{}"), {"file-write-create", "/private/var/folders/ab/T/run/test.txt"}));
}

}  // namespace
}  // namespace pinfold::backend::darwin
