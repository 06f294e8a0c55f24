// manifest_test.cc: each kind of mistake is reported with line and column; and the JSON schema has the same keys.
#include "plugin/manifest.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

namespace pinfold::plugin {
namespace {

constexpr const char* kWhole = R"({
  "id": "org.example.jira",
  "name": "Jira Connector",
  "version": "1.0.0",
  "author": "@devtools-community",
  "description": "Create Jira tickets",
  "runtime": "node",
  "entry": "./dist/index.js",
  "args": ["--stdio", "${__dirname}/x"],
  "permissions": {
    "network": ["*.atlassian.net"],
    "filesystem": [{"path": "~/Documents", "access": "read"}, {"path": "/data/out/", "access": "write"}],
    "environment": ["JIRA_URL"],
    "shell": {"commands": ["git"]},
    "clipboard": true,
    "secrets": ["JIRA_API_TOKEN"]
  }
})";

std::string error_of(const std::string& text) {
  const auto read = read_manifest(text, "m.json");
  return read ? "" : read.error().text();
}

// The whole manifest with one part replaced.
std::string with(const std::string& what, const std::string& by) {
  std::string text = kWhole;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(Manifest, Whole) {
  const auto read = read_manifest(kWhole, "m.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->id, "org.example.jira");
  EXPECT_EQ(read->entry, "dist/index.js");
  EXPECT_EQ(read->runtime, Runtime::kNode);
  EXPECT_EQ(read->args.size(), 2u);
  EXPECT_EQ(read->permissions.network.at(0).location.line, 11u);
  EXPECT_EQ(read->permissions.network.at(0).location.column, 17u);
  EXPECT_EQ(read->permissions.filesystem.at(1).access, FileAccess::kReadWrite);
  EXPECT_EQ(read->permissions.shell->commands.at(0).text, "git");
  EXPECT_TRUE(read->permissions.clipboard);
  const auto again = read_manifest(print_manifest(*read), "again");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(canonical_json(again->permissions), canonical_json(read->permissions));
  EXPECT_EQ(again->entry, read->entry);
}

TEST(Manifest, MinimalManifest) {
  EXPECT_TRUE(read_manifest(R"({"id":"a","name":"A","version":"1","runtime":"binary","entry":"a"})", "m"));
  EXPECT_TRUE(read_manifest(
      R"({"id":"a","name":"A","version":"1","runtime":"python","entry":"a.py","permissions":{"network":null}})", "m"));
}

TEST(Manifest, EveryMistakeHasItsPosition) {
  struct Case {
    std::string from, to, says;
  };
  const std::vector<Case> cases = {
      {"\"id\": \"org.example.jira\"", "\"id\": \"Org Example\"", "m.json:2:9: \"Org Example\" cannot be the id"},
      {"\"id\": \"org.example.jira\"", "\"id\": \"../x\"", "m.json:2:9:"},
      {"\"id\": \"org.example.jira\"", "\"id\": 7", "m.json:2:9: id cannot be a number"},
      {"\"id\": \"org.example.jira\",", "", "m.json:1:1: id is missing"},
      {"\"runtime\": \"node\"", "\"runtime\": \"nod\"", "m.json:7:14: \"nod\" is not a runtime (did you mean node?)"},
      {"./dist/index.js", "../index.js", "leads out of the plugin's folder"},
      {"./dist/index.js", "a/../../x", "leads out of the plugin's folder"},
      {"./dist/index.js", "/bin/sh", "entry is an absolute path"},
      {"./dist/index.js", "~/x", "begins with ~"},
      {"./dist/index.js", "a//b", "simplest form"},
      {"./dist/index.js", "", "entry is empty"},
      {"Jira Connector", "Jira\\u0007", "m.json:3:11: name has a control character in it: Jira\\x07"},
      {"1.0.0", "1 0", "is not a version"},
      {"\"author\"", "\"auther\"", "m.json:5:3: there is no key \"auther\" (did you mean author?)"},
      {"\"author\"", "\"name\"", "m.json:5:3: \"name\" is set twice"},
      {"*.atlassian.net", "http://x", "m.json:11:17:"},
      {"*.atlassian.net", "*", "whole network"},
      {"[\"*.atlassian.net\"]", "\"x.org\"", "network cannot be a string"},
      {"[\"*.atlassian.net\"]", "[5]", "an entry of network cannot be a number"},
      {"\"network\"", "\"netwrk\"", "permissions has no key \"netwrk\" (did you mean network?)"},
      {"~/Documents", "Documents", "the path is relative"},
      {"~/Documents", "~/../x", "the path has .. in it"},
      {"~/Documents", "~", "whole home"},
      {"~/Documents", "~/", "whole home"},
      {"~/Documents", "/", "whole system"},
      {"~/Documents", "~bob/x", "~user"},
      {"~/Documents", "~/*", "not a pattern"},
      {"\"access\": \"read\"", "\"access\": \"raed\"", "\"raed\" is not an access (did you mean read?)"},
      {", \"access\": \"read\"", "", "access is missing"},
      {"\"JIRA_URL\"", "\"LD_PRELOAD\"", "can make programs run other code"},
      {"\"JIRA_URL\"", "\"HOME\"", "set by Pinfold"},
      {"\"JIRA_URL\"", "\"A-B\"", "not a variable's name"},
      {"\"JIRA_API_TOKEN\"", "\"NODE_OPTIONS\"", "can make programs run other code"},
      {"\"git\"", "\"/bin/git\"", "plain name"},
      {"\"git\"", "\"git push\"", "plain name"},
      {"{\"commands\": [\"git\"]}", "true", "shell cannot be true or false"},
      {"{\"commands\": [\"git\"]}", "{}", "commands is missing"},
      {"\"clipboard\": true", "\"clipboard\": 1", "clipboard cannot be a number"},
      {"\"--stdio\"", "\"${user_config.key}\"", "does not have"},
      {"\"--stdio\"", "{}", "an argument cannot be an object"},
  };
  for (const Case& one : cases) {
    const std::string error = error_of(with(one.from, one.to));
    EXPECT_NE(error.find(one.says), std::string::npos) << one.from << " → " << one.to << "\n" << error;
  }
}

TEST(Manifest, ReportsSeveralMistakes) {
  std::string text = with("\"node\"", "\"perl\"");
  text.replace(text.find("1.0.0"), 5, "a b");
  const std::string error = error_of(text);
  EXPECT_NE(error.find("m.json:4:14"), std::string::npos) << error;
  EXPECT_NE(error.find("m.json:7:14"), std::string::npos) << error;
}

TEST(Manifest, Bounds) {
  EXPECT_NE(error_of(std::string(kLongestManifest + 1, ' ')).find("longer than"), std::string::npos);
  EXPECT_NE(error_of(with("Jira Connector", std::string(101, 'x'))).find("longer than 100"), std::string::npos);
  std::string many = "\"A\"";
  for (int i = 0; i < 300; ++i) many += ", \"A" + std::to_string(i) + "\"";
  EXPECT_NE(error_of(with("\"JIRA_URL\"", many)).find("more than 256"), std::string::npos);
  std::string wrong = "1";
  for (int i = 0; i < 200; ++i) wrong += ", 1";
  EXPECT_NE(error_of(with("\"JIRA_URL\"", wrong)).find("and 151 more"), std::string::npos);
}

TEST(Manifest, Ids) {
  for (const char* good : {"a", "com.omni-glass.test", "x_1", "1a"}) EXPECT_TRUE(is_plugin_id(good)) << good;
  for (const char* bad : {"", "A", ".a", "a.", "a..b", "a/b", "-a", "a b", "ä"}) EXPECT_FALSE(is_plugin_id(bad)) << bad;
  EXPECT_FALSE(is_plugin_id(std::string(kLongestId + 1, 'a')));
}

TEST(Manifest, AgreesWithTheSchema) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "../../docs/reference/plugin.schema.json");
  std::stringstream text;
  text << file.rdbuf();
  const auto schema = nlohmann::json::parse(text.str(), nullptr, false);
  ASSERT_TRUE(schema.is_object()) << "docs/reference/plugin.schema.json";
  EXPECT_EQ(schema["additionalProperties"], false);
  std::set<std::string> keys;
  std::set<std::string> required;
  for (const ManifestKey& key : manifest_keys()) {
    keys.insert(std::string(key.name));
    if (key.required) required.insert(std::string(key.name));
    ASSERT_TRUE(schema["properties"].contains(key.name)) << key.name;
    if (key.longest > 0 && key.name != "runtime") {
      EXPECT_EQ(schema["properties"][std::string(key.name)]["maxLength"], key.longest) << key.name;
    }
  }
  EXPECT_EQ(schema["properties"].size(), keys.size());
  EXPECT_EQ(schema["required"].get<std::set<std::string>>(), required);
  const auto& permissions = schema["properties"]["permissions"];
  EXPECT_EQ(permissions["additionalProperties"], false);
  std::set<std::string> requested;
  for (const auto& [name, value] : permissions["properties"].items()) requested.insert(name);
  std::set<std::string> known;
  for (const std::string_view name : permission_keys()) known.insert(std::string(name));
  EXPECT_EQ(requested, known);
}

}  // namespace
}  // namespace pinfold::plugin
