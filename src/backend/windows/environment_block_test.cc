// environment_block_test.cc: the block is what GetEnvironmentStrings would show.
#include "backend/windows/environment_block.h"

#include <gtest/gtest.h>

#include <string>

namespace pinfold::backend::on_windows {
namespace {

using namespace std::string_literals;

Result<std::u16string> block(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<Variable> variables;
  variables.reserve(pairs.size());
  for (const auto& [name, value] : pairs) variables.push_back({name, value, {}});
  return environment_block(variables);
}

TEST(WindowsEnvironment, SortedWithoutCase) {
  EXPECT_EQ(block({{"b", "2"}, {"C", "3"}, {"A", "1"}}).value_or(u"?"), u"A=1\0b=2\0C=3\0\0"s);
  // "_" sorts after the letters, as between capitals and small ones.
  EXPECT_EQ(block({{"a_b", "1"}, {"ab", "2"}}).value_or(u"?"), u"ab=2\0a_b=1\0\0"s);
}

TEST(WindowsEnvironment, EmptyIsTwoNuls) { EXPECT_EQ(block({}).value_or(u"?"), u"\0\0"s); }

TEST(WindowsEnvironment, ValuesPassAsTheyAre) {
  EXPECT_EQ(block({{"X", "a=b \"c\" é 😀"}}).value_or(u"?"), u"X=a=b \"c\" é 😀\0\0"s);
  EXPECT_EQ(block({{"X", ""}}).value_or(u"?"), u"X=\0\0"s);
}

TEST(WindowsEnvironment, Refused) {
  EXPECT_FALSE(block({{"Path", "1"}, {"PATH", "2"}}));
  EXPECT_FALSE(block({{"", "1"}}));
  EXPECT_FALSE(block({{"=C:", "C:\\"}}));
  EXPECT_FALSE(block({{"A=B", "1"}}));
  EXPECT_FALSE(block({{"A", "x\0y"s}}));
  EXPECT_FALSE(block({{"A", "\xC0\x80"}}));
}

}  // namespace
}  // namespace pinfold::backend::on_windows
