// json_redactor_test.cc: JSON stays JSON, names count, JSON inside strings is walked, and other text is redacted as
// text. Not here: the rules (rules_test.cc).
#include "safety/redaction/json_redactor.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pinfold::redaction {
namespace {

std::string walked(std::string_view text, std::size_t size = 3) {
  Redactor redactor(Only::kEverything);
  JsonRedactor walker(redactor);
  std::string out;
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) out += walker.feed(text.substr(0, size));
  return out + walker.finish();
}

TEST(JsonRedactor, NamesGiveContext) {
  EXPECT_EQ(walked(R"({"password": "hunter2", "user": "ada"})"),
            R"({"password": "[redacted: password]", "user": "ada"})");
  EXPECT_EQ(walked(R"({"name": "DB_PASSWORD", "value": "sunflower"})"),
            R"({"name": "DB_PASSWORD", "value": "[redacted: password]"})");
  EXPECT_EQ(walked(R"({"ssn":"536228726","order":"536228726"})"),
            R"({"ssn":"[redacted: us-ssn]","order":"536228726"})");
  EXPECT_EQ(walked(R"({"password": "${PW}", "token": "your-token"})"),
            R"({"password": "${PW}", "token": "your-token"})");
}

TEST(JsonRedactor, TypesStay) {
  EXPECT_EQ(walked(R"({"card": 4111111111111111, "n": 4111111111111112, "t": true, "z": null})"),
            R"({"card": 0, "n": 4111111111111112, "t": true, "z": null})");
  EXPECT_EQ(walked("[1, 2.5e3, \"x\", [], {}]\n{\"a\":1}\n"), "[1, 2.5e3, \"x\", [], {}]\n{\"a\":1}\n");
}

TEST(JsonRedactor, KeysAndEscapes) {
  const std::string token = std::string("ghp") + "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7Rx";
  EXPECT_EQ(walked("{\"" + token + "\": 1}"), R"({"[redacted: github-token]": 1})");
  EXPECT_EQ(walked(R"({"m": "to \u0061da@mail.example\nnow"})"), R"({"m": "to [redacted: email]\nnow"})");
  EXPECT_EQ(walked(R"({"m": "\u00fc \ud83d\ude00"})"), R"({"m": "\u00fc \ud83d\ude00"})");
}

TEST(JsonRedactor, TextInsideText) {
  const std::string inner = R"({"password":"hunter2"})";
  const std::string out = walked(nlohmann::json{{"body", inner}}.dump());
  EXPECT_EQ(nlohmann::json::parse(out)["body"], R"({"password":"[redacted: password]"})");
}

TEST(JsonRedactor, InvalidJsonIsRedactedAsText) {
  EXPECT_EQ(walked("mail ada@mail.example now"), "mail [redacted: email] now");
  EXPECT_EQ(walked(R"({"a": 1} and password = "Sunny-Day-42")"), R"({"a": 1} and password = "[redacted: password]")");
  EXPECT_EQ(walked(R"({"a": "ada@mail.example)"), R"({"a": "[redacted: email])");
  EXPECT_EQ(walked("]]"), "]]");
  EXPECT_EQ(walked("\"bad \x01 ada@mail.example\""), "\"bad \x01 [redacted: email]\"");
}

TEST(JsonRedactor, ValidJsonStaysValidForAnyChunks) {
  const std::string text =
      R"({"a":["x@mail.example",{"token":"a8Fk2LmQ9zX4cV7bN1"}],"b":"[1,{\"c\":\"y@mail.example\"}]","n":-1.5})";
  const std::string whole = walked(text, text.size());
  EXPECT_TRUE(nlohmann::json::accept(whole)) << whole;
  for (std::size_t size = 1; size < text.size(); ++size) EXPECT_EQ(walked(text, size), whole);
}

}  // namespace
}  // namespace pinfold::redaction
