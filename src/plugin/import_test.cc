// import_test.cc: servers of other clients are imported without the values of their variables.
#include "plugin/import.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::plugin {
namespace {

class ImportTest : public testing::Test {
 protected:
  ImportTest() {
    host.debian().file("/w/app/package.json").file("/w/app/src/main.js").file("/w/lone.py").program("/w/native");
    host.file("/w/i/node_modules/pkg/main.js").program("/w/tool.sh", "#!/bin/sh\n");
  }
  Result<ImportResult> read(const std::string& text, std::optional<std::string> name = std::nullopt) {
    return read_import(text, "/w/file.json", name, {"/home/ada", "/w"}, host);
  }
  Result<ImportResult> server(const std::string& entry) {
    return read(R"({"mcpServers": {"My Server": )" + entry + "}}");
  }
  FakeHost host;
};

TEST_F(ImportTest, AServer) {
  const auto app = server(R"({"command": "node", "args": ["/w/app/src/main.js", "--x"], "env": {"TOKEN": "value"}})");
  ASSERT_TRUE(app) << app.error().text();
  EXPECT_EQ(app->manifest.id, "my-server");
  EXPECT_EQ(app->manifest.name, "My Server");
  EXPECT_EQ(app->from, "/w/app");
  EXPECT_EQ(app->manifest.entry, "src/main.js");
  EXPECT_EQ(app->manifest.args, std::vector<std::string>{"--x"});
  EXPECT_EQ(app->variables, std::vector<std::string>{"TOKEN"});
  EXPECT_EQ(print_manifest(app->manifest).find("value"), std::string::npos);
  EXPECT_EQ(canonical_json(app->manifest.permissions), "{}");
  const auto lone = server(R"({"command": "python3.11", "args": ["lone.py"]})");
  ASSERT_TRUE(lone);
  EXPECT_TRUE(lone->one_file);
  EXPECT_EQ(lone->from, "/w/lone.py");
  const auto package = server(R"({"command": "node", "args": ["/w/i/node_modules/pkg/main.js"]})");
  EXPECT_EQ(package->from, "/w/i/node_modules");
  EXPECT_EQ(package->into, "node_modules");
  EXPECT_EQ(package->manifest.entry, "node_modules/pkg/main.js");
  EXPECT_EQ(server(R"({"command": "/w/native"})")->manifest.runtime, Runtime::kBinary);
}

TEST_F(ImportTest, RefusesUnsupportedServers) {
  for (const char* entry :
       {R"({"command": "npx", "args": ["x"]})", R"({"command": "/usr/bin/uvx"})", R"({"command": "docker"})",
        R"({"command": "python3", "args": ["-m", "x"]})", R"({"command": "node"})", R"({"url": "https://x"})", "5",
        R"({"command": "/w/tool.sh"})", R"({"command": "nothing-there"})", R"({"command": "node", "args": [1]})",
        R"({"command": "node", "args": ["/w/gone.js"]})"})
    EXPECT_FALSE(server(entry)) << entry;
  EXPECT_FALSE(read("{"));
  EXPECT_FALSE(read("{}"));
  EXPECT_FALSE(read(R"({"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}})"));
}

TEST_F(ImportTest, ABundle) {
  const auto bundle = read(R"({"manifest_version": "0.2", "name": "B b", "version": "2.0", "author": {"name": "Ada"},
    "server": {"type": "node", "entry_point": "./s/i.js", "mcp_config": {"command": "node",
      "args": ["${__dirname}/s/i.js", "${user_config.dir}", "${user_config.key}", "${HOME}/x"], "env": {"KEY": "${user_config.key}"}}},
    "user_config": {"dir": {"default": "d"}, "key": {"sensitive": true}}})");
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(bundle->manifest.id, "b-b");
  EXPECT_EQ(bundle->manifest.author, "Ada");
  EXPECT_EQ(bundle->manifest.args, (std::vector<std::string>{"d", "${HOME}/x"}));
  EXPECT_EQ(bundle->notes.size(), 1u);
  EXPECT_EQ(bundle->from, "/w");
  const auto uv = read(R"({"name": "u", "version": "1", "server": {"type": "uv", "entry_point": "m.py"}})");
  ASSERT_TRUE(uv);
  EXPECT_EQ(uv->manifest.runtime, Runtime::kPython);
  EXPECT_EQ(uv->notes.size(), 1u);
  for (const char* wrong : {R"({"name": "u", "version": "1", "server": {"type": "perl", "entry_point": "m"}})",
                            R"({"name": "u", "version": "1", "server": {"type": "node", "entry_point": "../m"}})",
                            R"({"name": "!", "version": "1", "server": {"type": "node", "entry_point": "m"}})",
                            R"({"name": "u", "version": "1", "server": {"type": "node"}})"})
    EXPECT_FALSE(read(wrong)) << wrong;
}

TEST(Import, Ids) {
  EXPECT_EQ(id_from("My Server!"), "my-server");
  EXPECT_EQ(id_from("@scope/pkg"), "scope-pkg");
  EXPECT_EQ(id_from("..a..b.."), "a.b");
  EXPECT_EQ(id_from("ü"), "");
  EXPECT_EQ(id_from("a_b"), "a_b");
}

}  // namespace
}  // namespace pinfold::plugin
