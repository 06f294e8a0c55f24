// redactor_test.cc: splits make no difference, tags are stable, given values are redacted in every encoding, linear
// work. Not here: the rules one by one (rules_test.cc).
#include "safety/redaction/redactor.h"

#include <gtest/gtest.h>

#include "base/encode.h"

namespace pinfold::redaction {
namespace {

std::string in_pieces(std::string_view text, std::size_t size, std::string_view value = {}) {
  Redactor redactor(Only::kEverything);
  if (!value.empty()) redactor.add_value("GIVEN", value);
  std::string out;
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) out += redactor.feed(text.substr(0, size));
  return out + redactor.finish();
}

std::string token(char last) { return std::string("ghp") + "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R" + last; }

std::string key_block(std::size_t lines) {
  std::string out = std::string("-----BEGIN RSA ") + "PRIVATE KEY-----\n";
  for (std::size_t i = 0; i < lines; ++i)
    out += "MIIEowIBAAKCAQEA1c7Zq5bT9fX3kYw8vLr2Nn4Jp6Hs0Gd1Ue5Rt7Wa9Qz3Xc" + std::to_string(i % 10) + "\n";
  return out + "-----END RSA PRIVATE KEY-----";
}

TEST(Redactor, ChunkBoundariesMakeNoDifference) {
  std::string text = "start " + token('x') + "\npassword = \"Sunny-Day-42\"\n" + key_block(40) +
                     "\nmail ada.l@mail.example, card 4111 1111 1111 1111\n";
  text += "Authorization: Bearer " + std::string(3000, 'a') + "1B2\n" + std::string(5000, '.') +
          " from 203.0.113.77 GIVENVALUE GIVENVAL" + "UE\n";
  for (int i = 0; i < 3; ++i) text += text;
  const std::string whole = in_pieces(text, text.size(), "GIVENVALUE");
  EXPECT_EQ(whole.find("Sunny"), std::string::npos);
  EXPECT_EQ(whole.find("MIIE"), std::string::npos);
  EXPECT_EQ(whole.find("GIVENVALUE"), std::string::npos);
  for (const std::size_t size : {1U, 2U, 3U, 7U, 64U, 767U, 768U, 769U, 4096U, 65536U})
    EXPECT_EQ(in_pieces(text, size, "GIVENVALUE"), whole) << size;
}

TEST(Redactor, EqualSecretsLookEqual) {
  const std::string a = token('a');
  const std::string b = token('b');
  EXPECT_EQ(in_pieces(a + " " + b + " " + a, 5),
            "[redacted: github-token] [redacted: github-token #2] [redacted: github-token]");
  Redactor redactor(Only::kSecrets);
  EXPECT_EQ(redactor.whole(a), "[redacted: github-token]");
  EXPECT_EQ(redactor.whole(b + "," + a), "[redacted: github-token #2],[redacted: github-token]");
  EXPECT_EQ(redactor.counts().at("github-token"), 3U);
}

TEST(Redactor, RedactsGivenValuesInEveryEncoding) {
  const std::string value = "s3cr3t/va+lue\"x";
  Redactor redactor(Only::kPersonal);
  ASSERT_TRUE(redactor.add_value("API", value));
  EXPECT_EQ(redactor.whole("a " + value + " b"), "a [redacted: API] b");
  EXPECT_EQ(redactor.whole("7333637233742f76612b6c75652278"), "[redacted: API]");
  EXPECT_EQ(redactor.whole("7333637233742F76612B6C75652278"), "[redacted: API]");
  EXPECT_EQ(redactor.whole("q=s3cr3t%2Fva%2Blue%22x&"), "q=[redacted: API]&");
  EXPECT_EQ(redactor.whole("q=s3cr3t%2fva%2blue%22x&"), "q=[redacted: API]&");
  EXPECT_EQ(redactor.whole(R"({"k":"s3cr3t/va+lue\"x"})"), R"({"k":"[redacted: API]"})");
  EXPECT_EQ(redactor.whole(R"({"k":"s3cr3t\/va+lue\"x"})"), R"({"k":"[redacted: API]"})");
  for (const char* before : {"", "u", "us", "user:"}) {
    const std::string out = redactor.whole(base64(before + value + " and more"));
    EXPECT_NE(out.find("[redacted: API]"), std::string::npos) << before << " " << out;
  }
  EXPECT_FALSE(redactor.add_value("SHORT", "abc"));
}

TEST(Redactor, RedactsAWholeGivenValueAcrossARulesEnd) {
  const std::string value = token('z') + "/and more of it";
  EXPECT_EQ(in_pieces("x " + value + " y", 4, value), "x [redacted: GIVEN] y");
  const std::string mail = "ada@mail.example and";
  EXPECT_EQ(in_pieces("to ada@mail.example and", 4, "mail.example and"), "to [redacted: email][redacted: GIVEN]");
}

TEST(Redactor, RedactsATruncatedBlock) {
  const std::string block = key_block(30);
  EXPECT_EQ(in_pieces("a " + block + " b", 100), "a [redacted: private-key] b");
  EXPECT_EQ(in_pieces(block.substr(0, 500), 100), "[redacted: private-key]");
  EXPECT_EQ(in_pieces(block.substr(0, 500) + "\n\nThe next line is prose.", 100),
            "[redacted: private-key]\n\nThe next line is prose.");
  EXPECT_EQ(in_pieces("\"k\\n" + block + "\"", 100), "\"k\\n[redacted: private-key]\"");
}

TEST(Redactor, FindsAValueFarFromItsName) {
  const std::string text = "password =" + std::string(900, ' ') + "\"Sunny-Day-42\"";
  EXPECT_EQ(in_pieces(text, 100), text);
}

TEST(Redactor, PassesBinaryBytes) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 7);
  EXPECT_EQ(in_pieces(bytes, 100).size(), bytes.size());
  EXPECT_EQ(in_pieces("", 1), "");
}

// Each look is at a bounded piece of text: so the work is linear if the looks are.
TEST(Redactor, WorkIsLinearInTheText) {
  for (const char* part : {"sk-",
                           "eyJ",
                           "://a@",
                           "password='",
                           "a:",
                           "--env ",
                           "-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAA",
                           "bearer ",
                           "token=\\\"",
                           "x=\"",
                           "1234 ",
                           "1.",
                           "12:",
                           "(1",
                           "+1 ",
                           "@a.com",
                           "a@",
                           "<password>",
                           "is ",
                           "$6$",
                           "=",
                           ":",
                           "aB3",
                           "passport 1",
                           "GB11 "}) {
    const auto looks = [&](std::size_t bytes) {
      std::string text;
      while (text.size() < bytes) text += part;
      Redactor redactor(Only::kEverything);
      redactor.whole(text);
      return redactor.looks();
    };
    const auto small = looks(20000);
    EXPECT_LE(small, 3 * 20000U) << part;
    EXPECT_LE(looks(80000), 4 * small + small / 4 + 100) << part;
  }
}

TEST(Redactor, ManyDifferentSecretsAreBounded) {
  Redactor redactor(Only::kEverything);
  std::string out;
  for (int i = 0; i < 12000; ++i) out = redactor.whole("user" + std::to_string(i) + "@mail.example");
  EXPECT_EQ(out, "[redacted: email #more]");
}

}  // namespace
}  // namespace pinfold::redaction
