// risk_test.cc: the points and levels of docs/guides/plugins.md.
#include "plugin/risk.h"

#include <gtest/gtest.h>

namespace pinfold::plugin {
namespace {

struct Case {
  const char* name;
  Permissions requested;
  int score;
  RiskLevel level;
};

TEST(PluginRisk, PointsAndLevels) {
  Permissions network, clipboard, read, write, variables, shell, dialog, everything;
  network.network = {{"a.org"}, {"b.org"}};
  clipboard.clipboard = true;
  read.filesystem = {{"~/a", FileAccess::kRead}};
  write.filesystem = {{"~/a", FileAccess::kReadWrite}};
  variables.environment = {{"A"}, {"B"}};
  shell.shell = RequestedShell{};
  dialog.network = {{"*.atlassian.net"}};
  dialog.environment = {{"JIRA_API_TOKEN"}};
  dialog.clipboard = true;
  everything = dialog;
  everything.filesystem = {{"~/a", FileAccess::kRead}, {"~/b", FileAccess::kReadWrite}};
  everything.shell = RequestedShell{{{"git"}, {"ls"}}};
  everything.secrets = {{"JIRA_API_TOKEN"}, {"OTHER"}};
  const Case cases[] = {{"nothing", {}, 0, RiskLevel::kLow},
                        {"clipboard", clipboard, 1, RiskLevel::kLow},
                        {"two hosts", network, 2, RiskLevel::kMedium},
                        {"read", read, 2, RiskLevel::kMedium},
                        {"write", write, 4, RiskLevel::kMedium},
                        {"two variables", variables, 4, RiskLevel::kMedium},
                        {"shell", shell, 5, RiskLevel::kHigh},
                        // Network, a secret and the clipboard: five points, hence high.
                        {"dialog", dialog, 5, RiskLevel::kHigh},
                        {"everything", everything, 2 + 2 + 1 + 2 + 4 + 5 + 2, RiskLevel::kHigh}};
  for (const Case& one : cases) {
    const PluginRisk risk = risk_of(one.requested, "/home/ada");
    EXPECT_EQ(risk.score, one.score) << one.name;
    EXPECT_EQ(risk.level, one.level) << one.name;
    int sum = 0;
    for (const ItemRisk& item : risk.items) {
      sum += item.points;
      EXPECT_EQ(item.level, level_of(item.points));
      EXPECT_FALSE(item.reason.empty());
    }
    EXPECT_EQ(sum, risk.score) << one.name;
  }
}

TEST(PluginRisk, Words) {
  Permissions requested;
  requested.network = {{"a.org"}};
  requested.environment = {{"JIRA_API_TOKEN"}, {"LOCALE"}};
  const PluginRisk risk = risk_of(requested, "/home/ada");
  EXPECT_EQ(risk.sentence, "This plugin can access the network, read a secret and read variables of your environment.");
  ASSERT_EQ(risk.combinations.size(), 1u);
  EXPECT_EQ(risk.combinations[0].name, "secret + network");
  EXPECT_TRUE(risk_of({}, "/home/ada").sentence.find("nothing but") != std::string::npos);
  requested.filesystem = {{"~/.ssh", FileAccess::kRead}};
  bool keys = false;
  for (const ItemRisk& item : risk_of(requested, "/home/ada").items)
    keys = keys || item.reason.find("private key") != std::string::npos;
  EXPECT_TRUE(keys);
  requested.shell = RequestedShell{};
  requested.filesystem = {{"~/x", FileAccess::kReadWrite}};
  const auto named = risk_of(requested, "/home/ada").combinations;
  EXPECT_TRUE(std::any_of(named.begin(), named.end(), [](const Combination& c) { return c.name == "write + shell"; }));
}

}  // namespace
}  // namespace pinfold::plugin
