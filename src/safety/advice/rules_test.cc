// rules_test.cc: every rule's own examples, and the tables themselves.
#include "safety/advice/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "safety/advice/programs_table.h"

namespace pinfold::advice {
namespace {

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string rules_of(const Advice& advice) {
  std::string out;
  for (const Finding& one : advice.findings) out += std::string(one.rule) + " ";
  return out;
}

bool says(const Advice& advice, std::string_view rule) {
  return std::any_of(advice.findings.begin(), advice.findings.end(),
                     [&](const Finding& one) { return one.rule == rule; });
}

void try_examples(Dialect dialect, Shell shell) {
  for (const auto table : rule_tables(dialect))
    for (const Rule& rule : table) {
      if (dialect == Dialect::kWindows && table.data() == kProjectRules.data()) continue;
      EXPECT_FALSE(rule.caught.empty()) << rule.id;
      EXPECT_FALSE(rule.passed.empty()) << rule.id;
      EXPECT_FALSE(rule.reason.empty()) << rule.id;
      for (const std::string& text : lines(rule.caught)) {
        const Advice advice = advise(text, shell);
        EXPECT_TRUE(says(advice, rule.id)) << rule.id << " misses: " << text << "\n  says: " << rules_of(advice);
        EXPECT_GE(advice.verdict, rule.verdict) << text;
      }
      for (const std::string& text : lines(rule.passed))
        EXPECT_EQ(advise(text, shell).verdict, AdviceVerdict::kSafe)
            << rule.id << " stops: " << text << "\n  by: " << rules_of(advise(text, shell));
    }
}

TEST(Rules, PosixExamples) { try_examples(Dialect::kPosix, Shell::kAuto); }
TEST(Rules, WindowsExamples) { try_examples(Dialect::kWindows, Shell::kPowerShell); }

TEST(Rules, NamesAreUnique) {
  std::set<std::string_view> seen;
  for (const Dialect dialect : {Dialect::kPosix, Dialect::kWindows})
    for (const auto table : rule_tables(dialect)) {
      if (dialect == Dialect::kWindows && table.data() == kProjectRules.data()) continue;
      for (const Rule& rule : table) EXPECT_TRUE(seen.insert(rule.id).second) << rule.id;
    }
}

TEST(Programs, NamesAreUnique) {
  std::set<std::string> seen;
  for (const Program& program : kPrograms) {
    std::string names(program.names);
    std::replace(names.begin(), names.end(), ' ', '\n');
    for (const std::string& name : lines(names)) EXPECT_TRUE(seen.insert(name).second) << name;
  }
}

}  // namespace
}  // namespace pinfold::advice
