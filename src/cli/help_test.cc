// help_test.cc: help is complete and leads with examples.
#include "cli/help.h"

#include <gtest/gtest.h>

namespace pinfold::cli {
namespace {

// The flag leads a line, and is not just the start of a longer one.
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
