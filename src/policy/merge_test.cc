// merge_test.cc: the sources that may choose a profile, invalid chains, variables, and mistakes reported together.
// Not here: the order of sources against a model (merge_property_test.cc).
#include "policy/merge.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::policy {
namespace {

class MergeTest : public testing::Test {
 protected:
  MergeTest() { layers.caller = {"/home/ada", "/home/ada/ws"}; }
  void user(std::string_view text) {
    user_ = read_document(text, Notation::kToml, "config.toml", Source::kUserFile, {});
    layers.user = &user_;
  }
  void project(std::string_view text) {
    project_ = read_document(text, Notation::kToml, "pinfold.toml", Source::kProjectFile, {"/home/ada/ws"});
    layers.project = &project_;
  }
  std::string error() {
    const auto policy = merge(layers);
    return policy ? "no error" : policy.error().text();
  }
  Layers layers;

 private:
  Document user_, project_;
};

TEST_F(MergeTest, TheProfileComesFromTheStrongestSource) {
  EXPECT_EQ(merge(layers)->profile, "moderate");
  user("profile = \"strict\"");
  EXPECT_EQ(merge(layers)->profile, "strict");
  project("profile = \"read-only\"");
  EXPECT_EQ(merge(layers)->profile, "read-only");
  layers.environment.settings.push_back({Key::kProfile, "permissive", "PINFOLD_PROFILE"});
  EXPECT_EQ(merge(layers)->profile, "permissive");
  layers.profile = Setting{Key::kProfile, "workspace-write", "--profile"};
  EXPECT_EQ(merge(layers)->profile, "workspace-write");
}

TEST_F(MergeTest, ManyMistakesAreBounded) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "x" + std::to_string(i) + " = 1\n";
  project(text);
  EXPECT_NE(error().find("pinfold.toml:100:1: "), std::string::npos);
  EXPECT_EQ(error().find("pinfold.toml:101:1: "), std::string::npos);
  EXPECT_TRUE(error().ends_with("… and 2900 more"));
}

TEST_F(MergeTest, FullAccessNeedsAFlag) {
  project("profile = \"danger-full-access\"");
  EXPECT_NE(error().find("can only ask for it"), std::string::npos);
  project("profile = \"x\"\n[profiles.x]\ninherits = \"danger-full-access\"");
  EXPECT_NE(error().find("can only ask for it"), std::string::npos);
  layers.full_access = danger::FullAccess("typed");
  EXPECT_EQ(error(), "no error");
}

TEST_F(MergeTest, ProfilesInheritAcrossFilesButOnlyDownwards) {
  user("[profiles.base]\ninherits = \"strict\"\ntimeout = \"1m\"\n");
  project("profile = \"mine\"\n[profiles.mine]\ninherits = \"base\"\nmemory = \"64M\"\n");
  const auto policy = merge(layers);
  ASSERT_TRUE(policy) << policy.error().text();
  EXPECT_EQ(policy->profile, "strict");
  EXPECT_EQ(policy->custom, "mine");
  EXPECT_EQ(policy->limits.wall_time->value, std::chrono::minutes(1));
  EXPECT_EQ(policy->limits.memory->value, std::uint64_t{64} << 20U);
  // The user's own file cannot use the names of a project's profiles.
  user("profile = \"mine\"");
  project("[profiles.mine]\n");
  EXPECT_NE(error().find("config.toml:1:11: there is no profile \"mine\""), std::string::npos) << error();
}

TEST_F(MergeTest, InheritanceCyclesAreErrors) {
  user("profile = \"b\"\n[profiles.b]\ninherits = \"a\"\n[profiles.a]\ninherits = \"b\"\n");
  EXPECT_EQ(error(),
            "config.toml:5:12: profiles inherit from each other in a circle: a → b → a (let one of them inherit "
            "from a preset)");
}

TEST_F(MergeTest, EveryMistakeOfEverySourceOnceAndInOrder) {
  user("timeout = \"soon\"\nnope = 1\n[profiles.other]\nmemory = \"much\"\n");
  project("exec = \"some/relative\"\nnetwork = \"ful\"\nread = [\"\"]\n");
  layers.flags.push_back({Key::kEnv, "A B", "--env"});
  const std::string all = error();
  std::size_t at = 0;
  for (const char* const part : {"config.toml:1:11: ", "config.toml:2:1: ", "config.toml:4:10: ", "pinfold.toml:2:11: ",
                                 "pinfold.toml:3:9: ", "--env: "}) {
    const std::size_t found = all.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " in\n" << all;
    EXPECT_EQ(all.find(part, found + 1), std::string::npos) << part << " twice in\n" << all;
    at = found;
  }
}

TEST_F(MergeTest, RelativePathsStartAtTheirFile) {
  user("read = [\"data\"]");
  EXPECT_NE(error().find("belongs to no directory"), std::string::npos);
  user("");
  project("hide = [\"data\", \"*.pem\"]\nexec = [\"bin/x\"]");
  const auto policy = merge(layers);
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->exec.commands, std::vector<std::string>{"/home/ada/ws/bin/x"});
  EXPECT_EQ(policy->patterns.back().glob, "*.pem");
}

TEST(Variables, ListsAndUnknownNames) {
  FakeHost host;
  host.var("PINFOLD_READ", "/a:/b").var("PINFOLD_ENV", "A,B=1").var("PINFOLD_TIMEOUT", "1m").var("PINFOLD_RAED", "x");
  host.var("PINFOLD_NETWORK", "off").var("PINFOLD", "1").var("PINFOLD_HIDE", "");
  const FromEnvironment out = read_environment(host);
  std::string all;
  for (const Setting& one : out.settings) all += one.where + "=" + one.value + " ";
  EXPECT_EQ(all, "PINFOLD_ENV=A PINFOLD_ENV=B=1 PINFOLD_READ=/a PINFOLD_READ=/b PINFOLD_TIMEOUT=1m ");
  EXPECT_EQ(out.problems,
            std::vector<std::string>{"PINFOLD_RAED: there is no such setting (did you mean PINFOLD_READ?)"});
}

}  // namespace
}  // namespace pinfold::policy
