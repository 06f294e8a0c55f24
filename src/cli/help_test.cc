// help_test.cc: help is complete and leads with examples.
#include "cli/help.h"

#include <gtest/gtest.h>

namespace pinfold::cli {
namespace {

// A line begins with the flag, and not with a longer one.
bool shows(const std::string& text, std::string_view flag) {
  for (const char* after : {" ", ",", "\n"})
    if (text.find("\n  " + std::string(flag) + after) != std::string::npos) return true;
  return false;
}

TEST(Help, ShowsEveryFlagOfItsCommand) {
  for (const CommandInfo& command : kCommands) {
    const std::string text = help(command.command);
    EXPECT_LT(text.find("Examples"), text.find("Usage")) << command.name;
    for (const Flag& flag : kFlags)
      EXPECT_EQ(shows(text, flag.name), (flag.commands & in(command.command)) != 0) << command.name << " " << flag.name;
  }
}

TEST(Help, OfAGroupListsItsCommandsFirst) {
  for (const Noun& noun : kNouns) {
    const std::string text = group_help(noun);
    for (const CommandInfo& command : kCommands)
      EXPECT_EQ(text.find("\n  pinfold " + std::string(command.name) + " ") != std::string::npos,
                !verb_of(command, noun.word).empty())
          << noun.word << " " << command.name;
  }
}

TEST(Help, ASharedFlagIsDescribedForItsCommand) {
  const auto line = [](Command command, std::string_view flag) {
    const std::string text = help(command);
    const std::size_t begin = text.find("\n  " + std::string(flag) + " ");
    return text.substr(begin, text.find("\n", begin + 1) - begin);
  };
  EXPECT_NE(line(Command::kFilesEdit, "--all").find("occurrence"), std::string::npos);
  EXPECT_NE(line(Command::kFilesList, "--all").find("git ignores"), std::string::npos);
  EXPECT_NE(line(Command::kGrantsList, "--all").find("every project"), std::string::npos);
  EXPECT_NE(line(Command::kRedact, "--list").find("rules"), std::string::npos);
  EXPECT_NE(help(Command::kRun).find("command advice reads TEXT"), std::string::npos);
}

TEST(Help, FitsATerminal) {
  const std::string text = help(Command::kRun) + overview();
  std::size_t width = 0;
  for (const char c : text) {
    width = c == '\n' ? 0 : width + 1;
    EXPECT_LE(width, 110u);
  }
}

}  // namespace
}  // namespace pinfold::cli
