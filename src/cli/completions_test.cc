// completions_test.cc: the scripts know every command and flag of the table; tests/cli drives them in real shells.
#include "cli/completions.h"

#include <gtest/gtest.h>

#include "cli/values.h"
#include "pinfold/policy.h"

namespace pinfold::cli {
namespace {

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

TEST(Values, ComeFromTheTablesText) {
  EXPECT_EQ(value_of("none|full").words, (std::vector<std::string>{"none", "full"}));
  const Value exec = value_of("any|none|CMD");
  EXPECT_EQ(exec.words.size(), 2u);
  EXPECT_TRUE(exec.commands);
  EXPECT_TRUE(value_of("PATH").files);
  EXPECT_TRUE(value_of("DIR").directories);
  EXPECT_FALSE(value_of("DIR").files);
  EXPECT_TRUE(value_of("30s").empty());
  EXPECT_TRUE(value_of("").empty());
}

TEST(Values, OfFlagsAndCommands) {
  EXPECT_EQ(value_of(*find_flag("--profile")).words.size(), preset_names().size());
  EXPECT_TRUE(value_of(*find_flag("--cwd")).directories);
  EXPECT_TRUE(value_of(*find_flag("--workspace")).directories);
  EXPECT_TRUE(value_of(*find_flag("--hide")).files);
  EXPECT_TRUE(words_of(info(Command::kRun)).commands);
  EXPECT_TRUE(words_of(info(Command::kInit)).directories);
  EXPECT_TRUE(words_of(info(Command::kPolicyCheck)).files);
  EXPECT_TRUE(words_of(info(Command::kPolicyTrust)).files);
  EXPECT_TRUE(words_of(info(Command::kPolicyShow)).empty());
  EXPECT_EQ(words_of(info(Command::kCompletions)).words, (std::vector<std::string>{"bash", "zsh", "fish"}));
  EXPECT_EQ(words_of(info(Command::kHelp)).words.size(), first_words().size());
  EXPECT_EQ(verbs("policy").size(), 4u);
  EXPECT_EQ(verbs("session").size(), 4u);
  EXPECT_EQ(verbs("grants").size(), 4u);
  EXPECT_TRUE(words_of(info(Command::kGrantsWhy)).files);
  EXPECT_TRUE(words_of(info(Command::kGrantsRevoke)).empty());
}

TEST(Completions, KnowEveryFlagAndCommand) {
  const std::string bash = bash_completions();
  const std::string zsh = zsh_completions();
  const std::string fish = fish_completions();
  for (const Flag& flag : kFlags) {
    for (const std::string& name : spellings(flag)) {
      EXPECT_TRUE(has(bash, name)) << name;
      EXPECT_TRUE(has(zsh, name)) << name;
      const bool is_long = name.starts_with("--");
      EXPECT_TRUE(has(fish, (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1))) << name;
    }
  }
  for (const Word& one : first_words())
    for (const std::string& script : {bash, zsh, fish}) EXPECT_TRUE(has(script, one.word)) << one.word;
}

}  // namespace
}  // namespace pinfold::cli
