// print_test.cc: the text of a printed policy, and the rules left out of it.
// Not here: that it reads back as itself (print_property_test.cc).
#include "policy/print.h"

#include <gtest/gtest.h>

#include "policy/document.h"
#include "policy/merge.h"

namespace pinfold::policy {
namespace {

const Caller kAda{"/home/ada", "/home/ada/ws"};
PolicyBuilder builder() { return {"moderate", kAda, {Source::kFlag, "--profile"}}; }

TEST(PrintTest, OneProfileForEachSource) {
  const auto policy = std::move(builder()
                                    .read("/srv", {Source::kFlag, "--read"})
                                    .timeout("5m", {Source::kUserFile, "config.toml:3:1"})
                                    .env("A=1", {Source::kFlag, "--env"}))
                          .build();
  EXPECT_EQ(to_toml(*policy),
            "# The rules on top of the preset \"moderate\".\n"
            "profile = \"as-by-flags\"\n"
            "\n[profiles.as-by-user-file]\ninherits = \"moderate\"\ntimeout = \"5m\"  # config.toml:3:1\n"
            "\n[profiles.as-by-flags]\ninherits = \"as-by-user-file\"\nread = [\"/srv\"]  # --read\n"
            "env = [\"A=1\"]  # --env\n");
}

TEST(PrintTest, APresetAlone) {
  EXPECT_EQ(to_toml(*builder().build()), "# The rules on top of the preset \"moderate\".\nprofile = \"moderate\"\n");
}

TEST(PrintTest, OmitsNamesThatAreNotUtf8WithANote) {
  const auto policy = std::move(builder().read("/srv/\xff", {Source::kFlag, "--read"})).build();
  const std::string text = to_toml(*policy);
  EXPECT_NE(text.find("# not UTF-8, so TOML cannot hold it: read \"/srv/\\xff\""), std::string::npos) << text;
  EXPECT_TRUE(read_document(text, Notation::kToml, "p", Source::kUserFile, {}).problems.empty());
}

// By itself "~" would be the home directory.
TEST(PrintTest, ANameThatBeginsWithATilde) {
  const auto policy = std::move(builder().protect("./~x", {Source::kFlag, "--protect"})).build();
  EXPECT_EQ(policy->protect.back().name, "~x");
  EXPECT_NE(to_toml(*policy).find("protect = [\"./~x\"]"), std::string::npos);
}

TEST(PrintTest, JsonOmitsValuesOfVariables) {
  const auto policy = std::move(builder().env("TOKEN=hunter2", {Source::kFlag, "--env"})).build();
  const std::string text = to_json(*policy);
  EXPECT_EQ(text.find("hunter2"), std::string::npos);
  EXPECT_NE(text.find("\"name\": \"TOKEN\""), std::string::npos);
  EXPECT_NE(to_toml(*policy).find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace pinfold::policy
