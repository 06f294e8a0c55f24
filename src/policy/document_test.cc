// document_test.cc: TOML and JSON text → settings and profiles, and the place of every mistake.
// Not here: how documents come together (merge_test.cc), hostile text (fuzz/policy_toml.cc).
#include "policy/document.h"

#include <gtest/gtest.h>

namespace pinfold::policy {
namespace {

Document toml(std::string_view text) {
  return read_document(text, Notation::kToml, "p.toml", Source::kProjectFile, {"/ws"});
}
Document json(std::string_view text) {
  return read_document(text, Notation::kJson, "p.json", Source::kProjectFile, {"/ws"});
}
std::string problems(const Document& document) {
  std::string out;
  for (const std::string& one : document.problems) out += one + "\n";
  return out;
}
std::string settings(const std::vector<Setting>& all) {
  std::string out;
  for (const Setting& one : all)
    out +=
        std::string(info(one.key).name) + "=" + one.value + (one.optional ? "?" : "") + (one.literal ? "!" : "") + " ";
  return out;
}

TEST(DocumentTest, EveryForm) {
  const Document document = toml(
      "profile = \"mine\"\nenabled = false\nread = \"/a\"\nwrite = [\"/b\", { path = \"c*\", optional = true }]\n"
      "network = true\nexec = []\nprocesses = 64\nmemory_limit_mb = 5\nnew_session = false\n"
      "[profiles.mine]\ninherits = \"strict\"\nhide = [\"x\"]\n");
  EXPECT_EQ(problems(document), "");
  EXPECT_EQ(settings(document.settings),
            "read=/a write=/b write=c*?! network=full exec=none processes=64 memory=5M new_session=false ");
  ASSERT_NE(document.find("mine"), nullptr);
  EXPECT_EQ(document.find("mine")->inherits->value, "strict");
  EXPECT_EQ(settings(document.find("mine")->settings), "hide=x ");
  EXPECT_EQ(document.profile->value, "mine");
  EXPECT_EQ(document.enabled->where, "p.toml:2:11");
  EXPECT_EQ(document.settings[1].where, "p.toml:4:10");
}

TEST(DocumentTest, JsonMeansTheSame) {
  const Document document = json(
      R"({"read": ["/a", {"path": "b", "optional": true}], "network": false, "profiles": {"p": {"exec": "none"}}})");
  EXPECT_EQ(problems(document), "");
  EXPECT_EQ(settings(document.settings), "read=/a read=b?! network=none ");
  EXPECT_EQ(settings(document.find("p")->settings), "exec=none ");
}

TEST(DocumentTest, EveryMistakeHasItsLine) {
  const Document document = toml(
      "reed = [\"/a\"]\nread = 5\nwrite = [\"/b\", 1.5]\ninherits = \"x\"\nexec = [\"git\", \"any\"]\n"
      "hide = { pth = \"x\" }\nreadable = \"/z\"\n[profiles.strict]\n[profiles.\"a b\"]\nprofile = \"x\"\n");
  EXPECT_EQ(
      problems(document),
      "p.toml:1:1: there is no key \"reed\" (did you mean read?)\n"
      "p.toml:2:8: read cannot be a number (for example: read = [\"~/data\", { path = \"/opt/sdk\", optional = true "
      "}])\n"
      "p.toml:3:16: write cannot be a number with a fraction (for example: write = [\"~/.cache/thing\"])\n"
      "p.toml:4:1: inherits does not belong here (it goes into a [profiles.NAME])\n"
      "p.toml:5:16: \"any\" cannot be in a list (exec = \"any\")\n"
      "p.toml:6:10: \"pth\" means nothing here (did you mean path?)\n"
      "p.toml:6:8: the path is missing ({ path = \"/opt/sdk\", optional = true })\n"
      "p.toml:7:1: read is set twice, under two names (keep one of them)\n"
      "p.toml:8:11: \"strict\" is a preset and cannot be changed (choose another name, and inherits = \"strict\")\n"
      "p.toml:9:11: \"a b\" cannot be the name of a profile (use letters, digits, - and _)\n"
      "p.toml:10:1: profile does not belong here (it goes to the top of the file)\n");
}

TEST(DocumentTest, ParsingContinuesAfterASyntaxError) {
  const Document document = toml("read = [\"/a\"]\nwrite = \nhide = [\"/c\"]\n");
  ASSERT_EQ(document.problems.size(), 1U);
  EXPECT_TRUE(document.problems[0].starts_with("p.toml:2:")) << document.problems[0];
  EXPECT_EQ(settings(document.settings), "read=/a hide=/c ");
}

// toml++ asserts here, and in a release build would take the assertion for granted.
TEST(DocumentTest, AKeyThatBeginsWithNoLetter) {
  EXPECT_EQ(toml("[~x]\n").problems.size(), 1U);
  EXPECT_EQ(toml("[profiles.]\n").problems.size(), 1U);
}

// toml++ takes these characters for unreachable.
TEST(DocumentTest, LettersOfAnyAlphabetWhereABlankCouldBe) {
  for (const char* letter : {"\u00e9", "\u0416", "\u1681", "\u2010", "\ufb26", "\ufefe"}) {
    EXPECT_EQ(toml("read = " + std::string(letter) + "\n").problems.size(), 1U) << letter;
    EXPECT_EQ(toml("read " + std::string(letter) + " = [\"/a\"]\n").problems.size(), 1U) << letter;
    EXPECT_EQ(toml("read = [\"\"\"\\\n" + std::string(letter) + "\"\"\"]\n").problems.size(), 0U) << letter;
  }
}

TEST(DocumentTest, ErrorTextsAreEscaped) {
  const Document document =
      read_document("a = \x1b[2J\n\"\x1b\" = 1\n", Notation::kToml, "\x1b/p.toml", Source::kProjectFile, {"/ws"});
  EXPECT_FALSE(document.problems.empty());
  EXPECT_EQ(problems(document).find('\x1b'), std::string::npos) << problems(document);
}

TEST(DocumentTest, InvalidJson) {
  EXPECT_EQ(problems(json("{")), "p.json: the text is not JSON (check quotes, commas and brackets)\n");
  EXPECT_EQ(problems(json("[1]")), "p.json: a policy is a JSON object (write {\"profile\": \"moderate\"})\n");
  EXPECT_EQ(json(R"({"read": null})").problems.size(), 1U);
  const std::string deep = R"({"profiles": )" + std::string(5000, '[') + std::string(5000, ']') + "}";
  EXPECT_EQ(json(deep).problems.size(), 1U);
}

}  // namespace
}  // namespace pinfold::policy
