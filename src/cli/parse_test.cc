// parse_test.cc: the shape of the command line.
#include "cli/parse.h"

#include <set>

#include <gtest/gtest.h>

namespace pinfold::cli {
namespace {

using Words = std::vector<std::string_view>;

std::string error(const Words& words) {
  const auto parsed = parse(words);
  return parsed ? "no error" : parsed.error().text();
}

TEST(FlagTable, IsConsistent) {
  std::set<std::string_view> seen;
  for (const Flag& flag : kFlags) {
    EXPECT_TRUE(seen.insert(flag.name).second) << flag.name;
    EXPECT_EQ(find_flag(flag.name), &flag);
    EXPECT_FALSE(flag.help.empty());
    EXPECT_NE(flag.commands, 0);
    for (const std::string_view alias : flag.aliases) EXPECT_TRUE(alias.empty() || seen.insert(alias).second) << alias;
  }
}

TEST(Parse, TheFirstPlainWordStartsTheCommand) {
  const auto parsed = parse({"run", "--read", "/x", "ls", "-l", "--read", "--"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->flags.size(), 1u);
  EXPECT_EQ(parsed->words, (std::vector<std::string>{"ls", "-l", "--read", "--"}));
}

TEST(Parse, DashesEndFlags) {
  const auto parsed = parse({"run", "--", "--weird", "-c"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->words, (std::vector<std::string>{"--weird", "-c"}));
}

TEST(Parse, BothWaysToGiveAValue) {
  const auto parsed = parse({"run", "--read=/a=b", "--write", "/c", "--env=", "-c", "--help"});
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->flags.size(), 4u);
  EXPECT_EQ(parsed->flags[0].value, "/a=b");
  EXPECT_EQ(parsed->flags[1].value, "/c");
  EXPECT_EQ(parsed->flags[2].value, "");
  EXPECT_EQ(parsed->flags[3].value, "--help");
  EXPECT_FALSE(parsed->help);
}

TEST(Parse, HostileWordsPassUnchanged) {
  const std::string_view name("/a\nb\xff", 5);
  const auto parsed = parse({"run", "--read", name, "--", "sh", "-c", "$(x) 'y'\n"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->flags[0].value, name);
  EXPECT_EQ(parsed->words.back(), "$(x) 'y'\n");
}

TEST(Parse, ErrorsNameTheWordAndTheFix) {
  EXPECT_EQ(error({"run", "--raed", "/x"}), "unknown flag --raed; did you mean --read?");
  EXPECT_EQ(error({"run", "--tmeout=3s"}), "unknown flag --tmeout; did you mean --timeout?");
  EXPECT_EQ(error({"run", "--zzzzzzzzzz"}), "unknown flag --zzzzzzzzzz");
  EXPECT_EQ(error({"run", "--read"}), "--read needs a value");
  EXPECT_EQ(error({"run", "--read", "--write", "/x"}), "--read needs a value");
  EXPECT_EQ(error({"run", "--explain=yes"}), "--explain takes no value, but got 'yes'");
  EXPECT_EQ(error({"run", "--timeout", "1s", "--timeout", "2s"}), "--timeout 2s contradicts --timeout 1s");
  EXPECT_EQ(error({"run", "--profile", "strict", "--sandbox-profile", "moderate"}),
            "--sandbox-profile moderate contradicts --profile strict");
  EXPECT_EQ(error({"doctor", "--read", "/x"}), "--read does not belong to `pinfold doctor`");
  EXPECT_EQ(error({"rnu", "ls"}), "unknown command rnu; did you mean run?");
  EXPECT_EQ(error({"policy"}), "`pinfold policy` needs a verb");
  EXPECT_EQ(error({"policy", "shwo"}), "unknown command policy shwo; did you mean show?");
  EXPECT_EQ(error({"run", "--\x1b[31m"}), "unknown flag --\\x1b[31m");
  const auto unknown = parse({"./script"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().fix(), "to run it: pinfold run -- ./script");
}

TEST(Parse, WhyTakesFlagsOnBothSides) {
  const auto parsed = parse({"policy", "why", "/x", "--read", "/x"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->command, Command::kPolicyWhy);
  EXPECT_EQ(parsed->words, (std::vector<std::string>{"/x"}));
  EXPECT_EQ(parsed->flags.size(), 1u);
}

TEST(Parse, HelpAndVersionAnywhere) {
  EXPECT_TRUE(parse({"--help"})->help);
  EXPECT_TRUE(parse({"run", "--help"})->help);
  EXPECT_EQ(parse({"--version"})->command, Command::kVersion);
  EXPECT_EQ(parse({})->command, Command::kHelp);
}

}  // namespace
}  // namespace pinfold::cli
