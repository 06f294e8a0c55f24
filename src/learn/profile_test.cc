// profile_test.cc: parsing the text gives the same rules, for any characters in a name.
#include "learn/profile.h"

#include <gtest/gtest.h>

#include "policy/document.h"

namespace pinfold::learn {
namespace {

Profile profile_of(std::vector<std::string> paths) {
  Profile out;
  out.base = "moderate";
  out.home = "/home/ada";
  out.command = "make\nprofile = \"strict\"";
  for (std::string& path : paths) out.rule_set.rules.push_back({Access::kRead, std::move(path), {{"a\nb", 2}}, false});
  return out;
}

std::vector<std::string> read_back(const Profile& profile) {
  const auto document =
      policy::read_document(to_toml(profile), policy::Notation::kToml, "x", Source::kProjectFile, {"/d"});
  EXPECT_EQ(document.problems, std::vector<std::string>{}) << to_toml(profile);
  std::vector<std::string> out;
  const auto& settings = document.profiles.empty() ? document.settings : document.profiles[0].settings;
  for (const policy::Setting& one : settings) out.push_back(one.value);
  EXPECT_TRUE(document.profile);
  return out;
}

TEST(LearnedProfile, ReadsBack) {
  const std::vector<std::string> odd = {"/data/a b", "/data/q\"uote", "/data/new\nline", "/data/st*r",
                                        "/data/caf\u00e9"};
  EXPECT_EQ(read_back(profile_of(odd)), odd);
}

TEST(LearnedProfile, EscapesInvisibleCharacters) {
  const std::vector<std::string> odd = {"/data/\u202egpj.exe", "/data/a\u200bb", "/data/\U000e0041"};
  const std::string text = to_toml(profile_of(odd));
  EXPECT_EQ(text.find("\u202e"), std::string::npos);
  EXPECT_EQ(text.find("\u200b"), std::string::npos);
  EXPECT_NE(text.find("\\u202E"), std::string::npos) << text;
  EXPECT_EQ(read_back(profile_of(odd)), odd);
}

TEST(LearnedProfile, TheHomeIsATilde) {
  EXPECT_EQ(read_back(profile_of({"/home/ada/x"})), std::vector<std::string>{"~/x"});
}

TEST(LearnedProfile, AProfileOfItsOwn) {
  Profile profile = profile_of({"/data/x"});
  profile.name = "mine";
  EXPECT_EQ(read_back(profile), std::vector<std::string>{"/data/x"});
}

TEST(LearnedProfile, OmittedRulesAreComments) {
  Profile profile = profile_of({});
  profile.rule_set.omitted.push_back(
      {Access::kRead, "/home/ada/.ssh\nread = [\"/\"]", "it may hold secrets", {{"x", 1}}});
  profile.rule_set.network = {"example.org:443", "a\n\"b"};
  EXPECT_EQ(read_back(profile), std::vector<std::string>{});
  EXPECT_NE(to_toml(profile).find(".ssh"), std::string::npos);
  EXPECT_NE(to_toml(profile).find("example.org:443"), std::string::npos);
}

TEST(LearnedProfile, IncludesTheFlags) {
  Profile profile = profile_of({});
  profile.flag_settings = {{policy::Key::kNetwork, "full"}, {policy::Key::kEnv, "A=1"}, {policy::Key::kTimeout, "5s"}};
  EXPECT_EQ(read_back(profile), (std::vector<std::string>{"full", "A=1", "5s"}));
}

}  // namespace
}  // namespace pinfold::learn
