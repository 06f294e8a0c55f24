// git_identity_test.cc: the keys that pass from a user's git configuration; keys that run programs do not.
// Not here: where the files are.
#include "plan/git_identity.h"

#include <gtest/gtest.h>

namespace pinfold::plan {
namespace {

TEST(GitIdentity, NameEmailBranchAndSafeDirectories) {
  EXPECT_EQ(git_identity({"[user]\n\tname = Ada Lovelace ; comment\n email=ada@example.org\n"
                          "[init] defaultBranch = main\n[safe]\n directory = /a\n directory = \"/b c\"\n"}),
            "[user]\n\tname = \"Ada Lovelace\"\n\temail = \"ada@example.org\"\n[init]\n\tdefaultBranch = \"main\"\n"
            "[safe]\n\tdirectory = \"/a\"\n\tdirectory = \"/b c\"\n");
}

TEST(GitIdentity, LaterFilesOverride) {
  EXPECT_EQ(git_identity({"[user]\nname=a\n", "[USER]\nNAME=b\n"}), "[user]\n\tname = \"b\"\n");
}

TEST(GitIdentity, NothingElsePasses) {
  EXPECT_EQ(git_identity({"[core]\nhooksPath=/x\nsshCommand=evil\n[alias]\nx=!sh\n[include]\npath=/x\n"
                          "[user \"name\"]\nname=x\n[user]\nsigningkey=K\n[credential]\nhelper=store\n"}),
            "");
  EXPECT_EQ(git_identity({}), "");
  EXPECT_EQ(git_identity({"[user\nname=x", "garbage", std::string("\0\xff[", 3)}), "");
}

TEST(GitIdentity, ValuesCannotBreakOut) {
  // A newline by escape is not printable: dropped. Quotes and backslashes are quoted again.
  EXPECT_EQ(git_identity({"[user]\nname = \"a\\n[core]\\nhooksPath=/x\"\n"}), "");
  EXPECT_EQ(git_identity({"[user]\nname = \"a \\\"b\\\" \\\\ c\"\n"}), "[user]\n\tname = \"a \\\"b\\\" \\\\ c\"\n");
  EXPECT_EQ(git_identity({"[user]\nname = \"open\n"}), "");
  EXPECT_EQ(git_identity({"[user]\nname = a\\\nb\n"}), "[user]\n\tname = \"ab\"\n");
  EXPECT_EQ(git_identity({"[user]\nname = " + std::string(2000, 'x')}), "");
}

}  // namespace
}  // namespace pinfold::plan
