// shell_reader_test.cc: the parser's result for well-formed and malformed text.
#include "safety/advice/shell_reader.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace pinfold::advice {
namespace {

// "rm|-rf|/ ; ls": words apart by "|", commands by " ; ".
std::string shown(std::string_view text) {
  std::string out;
  for (const Simple& command : read_shell(text).commands) {
    if (!out.empty()) out += " ; ";
    for (std::size_t i = 0; i < command.words.size(); ++i) out += (i == 0 ? "" : "|") + command.words[i].text;
  }
  return out;
}

TEST(ShellReader, Words) {
  EXPECT_EQ(shown("rm -rf /"), "rm|-rf|/");
  EXPECT_EQ(shown("r\\m '-r'\"f\" a\\ b"), "rm|-rf|a b");
  EXPECT_EQ(shown("$'\\x72\\155' $'a\\nb'"), "rm|a\nb");
  EXPECT_EQ(shown("echo \"a$x b\" $HOME"), "echo|a$x b|$HOME");
  EXPECT_EQ(shown("a \\\n b"), "a|b");
  EXPECT_EQ(shown("{rm,-rf,/}"), "rm|-rf|/");
  EXPECT_EQ(shown("ls # rm"), "ls");
  EXPECT_EQ(shown("rm${IFS}-rf${IFS}/"), "rm|-rf|/");
  EXPECT_EQ(shown("echo ${x:-y} ${z:?}"), "echo|y|_");
}

TEST(ShellReader, Variables) {
  EXPECT_EQ(shown("X=rm; $X -rf /"), "rm|-rf|/");
  EXPECT_EQ(shown("X='rm -rf'; $X /"), "rm|-rf|/");
  EXPECT_EQ(shown("for d in /usr /bin; do rm $d; done"), "rm|/usr");
  EXPECT_EQ(shown("export A=b; echo $A"), "export|A=b ; echo|b");
  EXPECT_EQ(shown("read X; echo $X"), "read|X ; echo|$X");
}

TEST(ShellReader, Lists) {
  EXPECT_EQ(shown("a && b || c; d & e\nf"), "a ; b ; c ; d ; e ; f");
  EXPECT_EQ(shown("if a; then b; else c; fi"), "a ; b ; c");
  EXPECT_EQ(shown("while a; do b; done"), "a ; b");
  EXPECT_EQ(shown("case $x in a|b) c;; (d) e;; esac; f"), "c ; e ; f");
  EXPECT_EQ(shown("f() { a; }; f"), "a ; f");
  EXPECT_EQ(shown("(a; b) | c"), "a ; b ; c");
  EXPECT_EQ(shown("[[ a < b && c ]] && d"), "[[|a|b|c ; d");
  EXPECT_EQ(shown("((x = 1)); a"), "a");
  EXPECT_EQ(shown("! a"), "a");
}

TEST(ShellReader, Pipes) {
  const Script script = read_shell("(a; b) | c | d; e");
  ASSERT_EQ(script.commands.size(), 5U);
  EXPECT_EQ(script.commands[2].fed_by.first, 0U);
  EXPECT_EQ(script.commands[2].fed_by.last, 2U);
  EXPECT_EQ(script.commands[3].fed_by.first, 2U);
  EXPECT_TRUE(script.commands[4].fed_by.empty());
}

TEST(ShellReader, Substitutions) {
  const Script script = read_shell("a $(b | c) <(d) `e`");
  ASSERT_EQ(script.commands.size(), 5U);
  const Simple& last = script.commands.back();
  EXPECT_EQ(last.words[1].made_by.last - last.words[1].made_by.first, 2U);
  EXPECT_EQ(last.words[2].made_by.last - last.words[2].made_by.first, 1U);
  EXPECT_EQ(shown("$(echo rm) -rf /"), "echo|rm ; rm|-rf|/");
}

TEST(ShellReader, Redirections) {
  const Script script = read_shell("a >x 2>>y <z &>w 2>&1 <<<t");
  ASSERT_EQ(script.commands.size(), 1U);
  const auto& all = script.commands[0].redirects;
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all[0].kind, Redirect::Kind::kWrite);
  EXPECT_EQ(all[1].kind, Redirect::Kind::kAppend);
  EXPECT_EQ(all[2].kind, Redirect::Kind::kRead);
  EXPECT_EQ(all[3].target.text, "w");
  EXPECT_EQ(all[4].kind, Redirect::Kind::kDuplicate);
  EXPECT_EQ(all[5].target.text, "t");
}

TEST(ShellReader, HereDocuments) {
  const Script script = read_shell("cat <<E; ls\nrm -rf /\nE\npwd");
  ASSERT_EQ(script.commands.size(), 3U);
  EXPECT_EQ(script.commands[0].redirects[0].target.text, "rm -rf /\n");
  EXPECT_EQ(script.commands[2].words[0].text, "pwd");
  EXPECT_EQ(read_shell("cat <<'E'\n$(x)\nE").commands.size(), 1U);
  EXPECT_EQ(read_shell("cat <<E\n$(x)\nE").commands.size(), 2U);
}

TEST(ShellReader, SpansAreWithinTheText) {
  const std::string text = "ls; rm -rf / ";
  const Script script = read_shell(text);
  EXPECT_EQ(text.substr(script.commands[1].begin, script.commands[1].end - script.commands[1].begin), "rm -rf /");
}

TEST(ShellReader, UnterminatedInput) {
  for (const char* text : {"'",        "\"",        "$(",  "`",        "${",   "$'",      "((",  "(",    "{",   "[[",
                           "case",     "case x in", "for", "<<",       "<<E",  "a <",     "a |", "\\",   "$",   "f(",
                           "function", "a=(",       "a[",  "\xff\xfe", "a\0b", "${x:-$(", "if",  "done", "fi }"})
    read_shell(text);
}

TEST(ShellReader, DepthIsBounded) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "$(";
  EXPECT_FALSE(read_shell(deep).complete);
  std::string groups(100000, '(');
  EXPECT_FALSE(read_shell(groups).complete);
}

// Four times the text may take some more than four times as long, never sixteen times. Counted in steps, not in time:
// the texts are as long as would take minutes if it were otherwise.
TEST(ShellReader, TerminatesOnHostileText) {
  for (const std::string unit : {"((a)b)",    "$(",    "`", "{ ",  "<<a ", "${x",  "'",     "\"$(", "a=(", "case x in ",
                                 "X=$X$X$X;", "$X$X ", "(", "f()", "\\`",  "<<<`", "{a,b}", "a|",   "if ", "[[ "}) {
    std::string text;
    while (text.size() < 400000) text += unit;
    read_shell(text);
    read_shell(text + "))");
  }
}

}  // namespace
}  // namespace pinfold::advice
