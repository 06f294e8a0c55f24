// review_test.cc: the facts of a review, as text and as JSON.
#include "plugin/review.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pinfold::plugin {
namespace {

Review make(Permissions requested, const char* name = "Jira Connector", ApprovalStatus status = {}) {
  InstalledPlugin plugin;
  plugin.folder = "/p";
  plugin.manifest =
      Manifest{"org.example.jira", name, "1.0.0", "@devs", "d", Runtime::kNode, "a.js", {}, std::move(requested)};
  const std::vector<std::string> command = {"/usr/bin/node", "/p/a b.js"};
  return review_of(plugin, {"sha256:p", "sha256:f"}, status, command, "/home/ada");
}

TEST(Review, Facts) {
  Permissions requested;
  requested.network = {{"*.atlassian.net"}};
  requested.environment = {{"JIRA_API_TOKEN"}};
  requested.clipboard = true;
  const Review review = make(requested);
  ASSERT_EQ(review.rows.size(), 3u);
  EXPECT_EQ(review.rows[2].title, "CLIPBOARD");
  EXPECT_EQ(review.level, RiskLevel::kHigh);
  EXPECT_EQ(review.score, 5);
  EXPECT_EQ(review.command, "/usr/bin/node '/p/a b.js'");
  const std::string text = review_text(review, {});
  for (const char* part : {"New plugin: Jira Connector", "by @devs · v1.0.0", "\"d\"", "🌐 NETWORK", "⚠ MEDIUM",
                           "Connect to: *.atlassian.net (*.atlassian.net: any host whose name ends in .atlassian.net)",
                           "🔑 SECRETS", "Read environment variable: JIRA_API_TOKEN", "○ LOW", "⛔ HIGH (5 points)",
                           "secret + network", "connect to any other host", "start any other program"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(review_text(review, {report::Colour::kOn, 80}).find('\x1b'), std::string::npos);
}

TEST(Review, Json) {
  Permissions requested;
  requested.filesystem = {{"~/x", FileAccess::kReadWrite}};
  ApprovalStatus status;
  status.state = State::kChanged;
  status.before_version = "0.9";
  status.code_changed = true;
  status.difference = difference({}, requested);
  const auto json = nlohmann::json::parse(review_json(make(requested, "N", status)));
  EXPECT_EQ(json["state"], "changed");
  EXPECT_EQ(json["permissions"][0]["level"], "medium");
  EXPECT_EQ(json["permissions"][0]["points"], 4);
  EXPECT_EQ(json["change"]["added"][0], "Read, change and delete ~/x");
  EXPECT_EQ(json["change"]["code_changed"], true);
  EXPECT_EQ(json["risk"]["level"], "medium");
  const std::string text = review_text(make(requested, "N", status), {});
  EXPECT_NE(text.find("Changed since you allowed version 0.9"), std::string::npos);
  EXPECT_NE(text.find("+ Read, change and delete ~/x"), std::string::npos);
  EXPECT_NE(text.find("its code changed"), std::string::npos);
}

TEST(Review, InvisibleCharacters) {
  const Review review = make({}, "a\u200b\u200bb\u202ec");
  EXPECT_EQ(review.flagged, (std::vector<std::string>{"name: U+200B ×2", "name: U+202E"}));
  EXPECT_NE(review_text(review, {}).find("a\\u{200b}\\u{200b}b\\u{202e}c"), std::string::npos);
  EXPECT_TRUE(make({}, "plain ünïcode 🔌").flagged.empty());
}

}  // namespace
}  // namespace pinfold::plugin
