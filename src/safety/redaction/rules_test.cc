// rules_test.cc: every rule redacts its example and leaves its counter-example.
// Not here: precision and recall on many texts (bench/redaction).
#include "safety/redaction/rules.h"

#include <set>

#include <gtest/gtest.h>

#include "safety/redaction/redactor.h"
#include "safety/redaction/tokens.h"

namespace pinfold::redaction {
namespace {

// Bytes of an alphabet, drawn so that no two neighbours are alike; made here, so that no file contains text that looks
// like a key.
std::string drawn(std::string_view alphabet, std::size_t count) {
  std::string out;
  std::uint32_t state = 12345;
  while (out.size() < count) {
    state = state * 1664525U + 1013904223U;
    out += alphabet[(state >> 16U) % alphabet.size()];
  }
  return out;
}

std::string alphabet_of(Kinds kinds) {
  std::string out;
  for (int c = 33; c < 127; ++c)
    if (is(static_cast<char>(c), kinds) && c != '.' && c != '~') out += static_cast<char>(c);
  return out;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// ‹b64:64› in an example is 64 such bytes.
std::string filled(std::string_view example) {
  std::string out;
  while (!example.empty()) {
    const std::size_t open = example.find("‹");
    out += example.substr(0, open);
    if (open == std::string_view::npos) break;
    example.remove_prefix(open + std::string_view("‹").size());
    const std::size_t close = example.find("›");
    const std::string_view inside = example.substr(0, close);
    const std::size_t colon = inside.find(':');
    const std::string_view kind = inside.substr(0, colon);
    const Kinds kinds = kind == "b64" ? kBase64 : kind == "b64u" ? kBase64Url : kind == "up" ? kUpperAlnum : kAlnum;
    out += drawn(alphabet_of(kinds), static_cast<std::size_t>(std::stoi(std::string(inside.substr(colon + 1)))));
    example.remove_prefix(close + std::string_view("›").size());
  }
  return out;
}

TEST(Rules, EachMatchesItsExampleAndNotTheCounterexample) {
  int examples = 0;
  for (const Rule* rule : all_rules()) {
    if (rule->yes.empty()) continue;
    ++examples;
    std::string marked = filled(rule->yes);
    const std::size_t open = marked.find("«");
    const std::size_t close = marked.find("»");
    ASSERT_NE(open, std::string::npos) << rule->name;
    const std::string expected = marked.substr(0, open) + "[redacted: " + std::string(rule->name) + "]" +
                                 marked.substr(close + std::string("»").size());
    const std::string text = replaced(replaced(marked, "«", ""), "»", "");
    EXPECT_EQ(Redactor(Only::kEverything).whole(text), expected) << rule->name;
    EXPECT_EQ(Redactor(Only::kEverything).whole(rule->no), rule->no) << rule->name;
    const Only other = rule->group == Group::kSecret ? Only::kPersonal : Only::kSecrets;
    EXPECT_EQ(Redactor(other).whole(text), text) << rule->name;
  }
  EXPECT_GE(examples, 35);
}

TEST(Rules, EachPrefixNeedsItsMinimumLength) {
  for (const TokenRule& rule : token_rules()) {
    std::string body = drawn(alphabet_of(rule.alphabet), rule.least);
    if (rule.needs != Needs::kNothing && rule.needs != Needs::kNoWords) body = "A1b" + body.substr(3);
    if ((rule.alphabet & (kUpper | kHexUpper)) == 0) body = "a1b" + body.substr(3);
    if ((rule.alphabet & (kLower | kHexLower)) == 0) body = "A1B" + body.substr(3);
    if (rule.needs == Needs::kDotted) body[rule.least / 2] = '.';
    while (body.back() == '=' || body.back() == '.') body.back() = 'a';
    const std::string token = std::string(rule.prefix) + body;
    const std::string out = Redactor(Only::kSecrets).whole("(" + token + ")");
    EXPECT_EQ(out.find(body.substr(0, 8)), std::string::npos) << rule.prefix << ": " << out;
    EXPECT_TRUE(out.starts_with("([redacted: ") && out.ends_with("])")) << rule.prefix << ": " << out;
    const std::string cut = "(" + token.substr(0, rule.prefix.size() + 6) + ")";
    EXPECT_EQ(Redactor(Only::kSecrets).whole(cut), cut);
    const std::string filler = "(" + std::string(rule.prefix) + std::string(rule.least, 'x') + ")";
    EXPECT_EQ(Redactor(Only::kSecrets).whole(filler), filler);
  }
}

TEST(Rules, EachNameOnce) {
  std::set<std::string_view> names;
  for (const Rule* rule : all_rules()) {
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_FALSE(rule->what.empty()) << rule->name;
  }
  EXPECT_GE(names.size(), 100U);
}

}  // namespace
}  // namespace pinfold::redaction
