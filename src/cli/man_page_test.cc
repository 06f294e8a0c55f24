// man_page_test.cc: the manual page is complete and plain ASCII; tests/cli lets groff judge it.
#include "cli/man_page.h"

#include <gtest/gtest.h>

#include "cli/flags.h"
#include "policy/keys.h"

namespace pinfold::cli {
namespace {

// "--no-sandbox" as roff: every hyphen escaped.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

TEST(ManPage, HasEveryCommandFlagAndVariable) {
  const std::string page = man_page_text();
  for (const CommandInfo& one : kCommands)
    EXPECT_NE(page.find("pinfold " + roff(one.name)), std::string::npos) << one.name;
  for (const Flag& flag : kFlags)
    EXPECT_NE(page.find("\\fB" + roff(flag.name) + "\\fR"), std::string::npos) << flag.name;
  for (const policy::KeyInfo& key : policy::kKeys)
    EXPECT_NE(page.find(key.variable), std::string::npos) << key.variable;
}

TEST(ManPage, IsPlainAscii) {
  for (const char c : man_page_text()) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
}

}  // namespace
}  // namespace pinfold::cli
