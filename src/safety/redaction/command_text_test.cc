// command_text_test.cc: secrets are redacted, ordinary text stays, time is linear in the text.
#include "safety/redaction/command_text.h"

#include <ctime>
#include <limits>

#include <gtest/gtest.h>

namespace pinfold::redaction {
namespace {

using Words = std::vector<std::string>;

std::string prose(std::string_view text) { return redact(text, TextKind::kProse); }
std::string command(std::string_view text) { return redact(text, TextKind::kCommand); }

// Concatenated here, so that no repository scanner reports this file.
std::string letters(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += static_cast<char>(i % 3 == 0 ? '0' + i % 10 : 'a' + i % 26);
  return out;
}

TEST(Redact, KeysByTheirShape) {
  const std::string aws = std::string("AKIA") + "ABCDEFGHIJ123456";
  EXPECT_EQ(prose("id " + aws + " end"), "id [redacted: aws-key] end");
  for (const char* prefix : {"ghp_", "gho_", "github_pat_", "sk-", "sk-proj-", "xoxb-", "glpat-", "hf_", "sk_live_"}) {
    const std::string out = prose("(" + std::string(prefix) + letters(40) + ")");
    EXPECT_TRUE(out.starts_with("([redacted: ") && out.ends_with("])")) << prefix << " " << out;
  }
  const std::string token = "eyJ" + std::string("hbGciOiJIUzI1NiJ9") + "." + letters(30) + "." + letters(20);
  EXPECT_EQ(prose("t=" + token + ";"), "t=[redacted: web-token];");
  const std::string begin = std::string("-----BEGIN RSA ") + "PRIVATE KEY-----";
  const std::string key = begin + "\n" + letters(64) + "\n-----END RSA PRIVATE KEY-----";
  EXPECT_EQ(prose("a " + key + " b"), "a [redacted: private-key] b");
  EXPECT_EQ(prose("cut: " + begin + "\n" + letters(40)), "cut: [redacted: private-key]");
  EXPECT_EQ(prose("\"k\\n" + key + "\""), "\"k\\n[redacted: private-key]\"");
}

TEST(Redact, ValuesByTheirName) {
  EXPECT_EQ(prose("PASSWORD=hunter2 make"), "PASSWORD=[redacted] make");
  EXPECT_EQ(prose("PGPASSWORD=hunter2"), "PGPASSWORD=[redacted]");
  EXPECT_EQ(prose("MYSQL_PWD=hunter2"), "MYSQL_PWD=[redacted]");
  EXPECT_EQ(prose("DB_PASS='hunter two' x"), "DB_PASS='[redacted]' x");
  EXPECT_EQ(prose("TOKEN=ab\"c d\"ef g"), "TOKEN=[redacted] g");
  EXPECT_EQ(prose("{\"password\": \"hunter2\", \"n\": 1}"), "{\"password\": \"[redacted]\", \"n\": 1}");
  EXPECT_EQ(prose("{\\\"apiKey\\\":\\\"hunter2\\\"}"), "{\\\"apiKey\\\":\\\"[redacted]\\\"}");
  EXPECT_EQ(prose("https://h/?api_key=hunter2&x=1"), "https://h/?api_key=[redacted]&x=1");
  EXPECT_EQ(prose("password: hunter2"), "password: [redacted]");
  EXPECT_EQ(prose("secret = \"hunter2\""), "secret = \"[redacted]\"");
  EXPECT_EQ(prose("-H 'Authorization: Basic aHVudGVyMg==' u"), "-H 'Authorization: [redacted]' u");
  EXPECT_EQ(prose("use Bearer abc123def456 now"), "use Bearer [redacted] now");
  EXPECT_EQ(command("x --token hunter2 && y"), "x --token [redacted] && y");
  EXPECT_EQ(command("pinfold run --env A=hunter2 -- x"), "pinfold run --env A=[redacted] -- x");
}

TEST(Redact, PasswordsInAddresses) {
  EXPECT_EQ(prose("postgres://ada:hunter2@db:5432/x"), "postgres://ada:[redacted]@db:5432/x");
  EXPECT_EQ(prose("https://hunter2@host/p"), "https://[redacted]@host/p");
  EXPECT_EQ(prose("https://ada:p@ss@host/p"), "https://ada:[redacted]@host/p");
  EXPECT_EQ(prose("ssh://git@host/p"), "ssh://git@host/p");
  EXPECT_EQ(prose("https://host/a@b:c"), "https://host/a@b:c");
}

TEST(Redact, RedactsCommandArguments) {
  EXPECT_EQ(redact_argv({"tool", "--password", "hunter2", "--api-key=hunter2;x", "-v"}),
            (Words{"tool", "--password", "[redacted]", "--api-key=[redacted]", "-v"}));
  EXPECT_EQ(redact_argv({"docker", "run", "-e", "X=hunter2", "--env", "Y=hunter2", "--env=Z=hunter2", "img"}),
            (Words{"docker", "run", "-e", "X=[redacted]", "--env", "Y=[redacted]", "--env=Z=[redacted]", "img"}));
  EXPECT_EQ(redact_argv({"/usr/bin/curl", "-u", "ada:hunter2", "-uada:hunter2", "http://h"}),
            (Words{"/usr/bin/curl", "-u", "ada:[redacted]", "-uada:[redacted]", "http://h"}));
  EXPECT_EQ(redact_argv({"mysql", "-phunter2", "-p", "db"}), (Words{"mysql", "-p[redacted]", "-p", "db"}));
  EXPECT_EQ(redact_argv({"env", "TOKEN=a b;c", "x"}), (Words{"env", "TOKEN=[redacted]", "x"}));
  EXPECT_EQ(redact_argv({"sh", "-c", "TOKEN=hunter2 ./x --secret hunter2"}),
            (Words{"sh", "-c", "TOKEN=[redacted] ./x --secret [redacted]"}));
  EXPECT_EQ(redact_argv({}), Words{});
}

TEST(Redact, OrdinaryTextIsLeftAlone) {
  for (const char* text : {"make test",
                           "npm run build -- --watch",
                           "the token: it was unexpected",
                           "error: unexpected token ';'",
                           "max_tokens=100",
                           "--password-file=/run/x",
                           "TOKEN_URL=https://h/x",
                           "PWD=/home/ada",
                           "pass=3 fail=0",
                           "tokenizer=bert",
                           "secretary=ada",
                           "a == b",
                           "password == other",
                           "std::token::x",
                           "key=value",
                           "KEY=1",
                           "git push origin sk-some-long-branch-name-here",
                           "the bearer of news",
                           "bearer authentication",
                           "https://example.org/a?b=c",
                           "AKIA is a prefix",
                           "ghp_short",
                           "eyJ.x.y",
                           "-----BEGIN CERTIFICATE-----",
                           "PASSWORD= ./x",
                           "PASSWORD=$PW",
                           "--author=Ada",
                           "cookies are sweet",
                           "naïve – text",
                           ""})
    EXPECT_EQ(prose(text), text);
  EXPECT_EQ(command("x --token"), "x --token");
  EXPECT_EQ(command("x --password --verbose"), "x --password --verbose");
  EXPECT_EQ(redact_argv({"tool", "--token", "--other"}), (Words{"tool", "--token", "--other"}));
  EXPECT_EQ(redact_argv({"grep", "-e", "a=b.*"}), (Words{"grep", "-e", "a=[redacted]"}));  // in doubt, more
}

TEST(Redact, TwiceIsTheSame) {
  for (const char* text : {"PASSWORD=hunter2 x", "postgres://a:b@c/d", "Authorization: x y", "--token abc"})
    EXPECT_EQ(command(command(text)), command(text));
}

// Text of 16 times the length may take at most 80 times the CPU time; a quadratic pass would take 256 times.
TEST(Redact, LinearInTheText) {
  for (const std::string& part :
       {std::string("sk-"), std::string("eyJ"), std::string("://a@"), std::string("password='"), std::string("a:"),
        std::string("--env "), std::string("-----BEGIN "), std::string("bearer "), std::string("token=\\\""),
        std::string("eyJaaaaaaaaaa."), std::string("x=\"")}) {
    const auto took = [&](std::size_t count) {
      std::string text;
      for (std::size_t i = 0; i < count; ++i) text += part;
      auto best = std::numeric_limits<std::clock_t>::max();
      for (int i = 0; i < 3; ++i) {
        const std::clock_t begin = std::clock();
        EXPECT_LE(command(text).size(), text.size() * 4);
        best = std::min(best, std::clock() - begin);
      }
      return best;
    };
    const auto small = took(1000);
    EXPECT_LT(took(16000), (small + CLOCKS_PER_SEC / 1000) * 80) << part;
  }
}

}  // namespace
}  // namespace pinfold::redaction
