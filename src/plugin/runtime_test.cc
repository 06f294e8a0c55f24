// runtime_test.cc: interpreters are found without running anything, and get only the paths that they need.
#include "plugin/runtime.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::plugin {
namespace {

class RuntimeTest : public testing::Test {
 protected:
  RuntimeTest() { host.debian().dir("/p"); }
  Result<Launch> find(Runtime runtime, std::vector<std::string> args = {}) {
    Manifest manifest;
    manifest.runtime = runtime;
    manifest.entry = "a.x";
    manifest.args = std::move(args);
    return find_runtime(manifest, "/p", "/home/ada", host);
  }
  static bool reads(const Launch& launch, const std::string& path) {
    const auto in = [&](const auto& list) { return std::find(list.begin(), list.end(), path) != list.end(); };
    return in(launch.reads) || in(launch.reads_if_there);
  }
  FakeHost host;
};

TEST_F(RuntimeTest, SystemRuntime) {
  const auto python = find(Runtime::kPython, {"${__dirname}/x", "${HOME}", "$HOME"});
  ASSERT_TRUE(python) << python.error().text();
  EXPECT_EQ(python->argv, (std::vector<std::string>{"/usr/bin/python3.11", "/p/a.x", "/p/x", "/home/ada", "$HOME"}));
  EXPECT_TRUE(reads(*python, "/usr/bin/python3.11"));
  for (const char* path : {"/usr", "/usr/bin", "/etc", "/home/ada", "/"}) EXPECT_FALSE(reads(*python, path)) << path;
  const auto missing = find(Runtime::kNode);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(find(Runtime::kBinary)->argv, std::vector<std::string>{"/p/a.x"});
}

TEST_F(RuntimeTest, PrivateInstallation) {
  host.program("/opt/node/bin/node").dir("/opt/node/lib/node_modules").var("PATH", "/opt/node/bin:/usr/bin");
  const auto node = find(Runtime::kNode);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->argv[0], "/opt/node/bin/node");
  EXPECT_TRUE(reads(*node, "/opt/node/lib"));
  EXPECT_FALSE(reads(*node, "/opt/node"));
  // A program in ~/bin does not grant ~/lib.
  host.program("/home/ada/bin/node").dir("/home/ada/lib/secrets").var("PATH", "/home/ada/bin");
  EXPECT_FALSE(reads(*find(Runtime::kNode), "/home/ada/lib"));
}

TEST_F(RuntimeTest, Pyenv) {
  for (const char* version : {"3.9.1", "3.11.7", "3.11.10"})
    host.program(std::string("/home/ada/.pyenv/versions/") + version + "/bin/python3")
        .dir(std::string("/home/ada/.pyenv/versions/") + version + "/lib/python3");
  host.program("/home/ada/.pyenv/shims/python3", "#!/usr/bin/env bash\n").file("/home/ada/.pyenv/version", "3.9.1\n");
  host.var("PATH", "/home/ada/.pyenv/shims:/usr/bin");
  const std::string versions = "/home/ada/.pyenv/versions/";
  EXPECT_EQ(find(Runtime::kPython)->interpreter, versions + "3.9.1/bin/python3");
  EXPECT_TRUE(reads(*find(Runtime::kPython), versions + "3.9.1/lib"));
  host.file("/p/.python-version", "3.11\n");
  EXPECT_EQ(find(Runtime::kPython)->interpreter, versions + "3.11.10/bin/python3");
  host.var("PYENV_VERSION", "3.11.7");
  EXPECT_EQ(find(Runtime::kPython)->interpreter, versions + "3.11.7/bin/python3");
  host.var("PYENV_VERSION", "system");
  EXPECT_EQ(find(Runtime::kPython)->interpreter, "/usr/bin/python3.11");
  host.var("PYENV_VERSION", "");
  for (const char* hostile : {"../../../evil", "/evil", "a/../b"}) {
    host.file("/p/.python-version", hostile);
    EXPECT_EQ(find(Runtime::kPython)->interpreter, versions + "3.9.1/bin/python3") << hostile;
  }
}

TEST_F(RuntimeTest, Nvm) {
  for (const char* version : {"v18.2.0", "v20.9.0", "v20.11.0"})
    host.program(std::string("/home/ada/.nvm/versions/node/") + version + "/bin/node");
  const std::string versions = "/home/ada/.nvm/versions/node/";
  EXPECT_EQ(find(Runtime::kNode)->interpreter, versions + "v20.11.0/bin/node");
  host.file("/home/ada/.nvm/alias/default", "lts/*\n").file("/home/ada/.nvm/alias/lts/*", "lts/hydrogen\n");
  host.file("/home/ada/.nvm/alias/lts/hydrogen", "v18.2.0\n");
  EXPECT_EQ(find(Runtime::kNode)->interpreter, versions + "v18.2.0/bin/node");
  host.file("/p/.nvmrc", "20.9\n");
  EXPECT_EQ(find(Runtime::kNode)->interpreter, versions + "v20.9.0/bin/node");
  host.program("/usr/bin/node");
  EXPECT_EQ(find(Runtime::kNode)->interpreter, "/usr/bin/node");
}

TEST_F(RuntimeTest, AVirtualEnvironmentNamesNoOtherPython) {
  host.file("/p/.venv/pyvenv.cfg", "home = /usr/bin\n").link("/p/.venv/bin/python3", "/usr/bin/python3");
  const auto own = find(Runtime::kPython);
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_EQ(own->argv[0], "/p/.venv/bin/python3");
  EXPECT_EQ(own->interpreter, "/usr/bin/python3.11");
  host.program("/home/ada/secret/python3").link("/p/.venv/bin/python3", "/home/ada/secret/python3");
  const auto other = find(Runtime::kPython);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind(), ErrorKind::kRefused);
  host.link("/p/.venv/bin/python3", "/nowhere");
  EXPECT_FALSE(find(Runtime::kPython));
}

}  // namespace
}  // namespace pinfold::plugin
