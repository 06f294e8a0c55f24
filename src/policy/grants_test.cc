// grants_test.cc: valid grants, and their effect beside files and flags.
#include "policy/grants.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"
#include "policy/merge.h"
#include "policy/print.h"
#include "policy/scope.h"

namespace pinfold::policy {
namespace {

using Kind = Grant::Kind;
const Caller kAda{"/home/ada", "/home/ada/ws"};

StandingGrant grant(std::uint64_t number, Kind kind, std::string resource) {
  return {{kind, std::move(resource)}, grant_origin(number, "2026-11-16")};
}

class GrantsTest : public testing::Test {
 protected:
  GrantsTest() {
    host.debian().dir("/home/ada/ws").dir("/srv/data/deep").file("/home/ada/ws/.env").dir("/home/ada/ws/.vscode");
  }
  Policy policy(const std::vector<Setting>& flags, const std::vector<StandingGrant>& grants,
                const std::string& user_file = {}) {
    const Document user = read_document(user_file, Notation::kToml, "config.toml", Source::kUserFile, {});
    Layers layers;
    layers.caller = kAda;
    layers.user = &user;
    layers.flags = flags;
    auto merged = merge(layers);
    EXPECT_TRUE(merged) << merged.error().text();
    add_grants(*merged, grants);
    return std::move(*merged);
  }
  Decision decided(const Policy& policy, const std::string& path) {
    auto built = Scope::build(policy, host);
    EXPECT_TRUE(built) << built.error().text();
    scope = std::make_unique<Scope>(std::move(*built));
    return scope->decide(path);
  }
  FakeHost host;
  std::unique_ptr<Scope> scope;
};

TEST_F(GrantsTest, AcceptsAndRefusesGrants) {
  const auto check = [](Kind kind, const std::string& what) { return check_grant({kind, what}, kAda).has_value(); };
  EXPECT_TRUE(check(Kind::kRead, "/srv/data"));
  EXPECT_TRUE(check(Kind::kWrite, "/home/ada/data"));
  EXPECT_TRUE(check(Kind::kRead, "/srv/\xff"));
  EXPECT_TRUE(check(Kind::kRead, "/sys/class"));
  for (const char* path : {"", "srv", "~/x", "/srv/../etc", "/srv/./x", "/srv//x", "/srv/", "/", "/home", "/home/ada",
                           "/proc/1", "/dev"}) {
    EXPECT_FALSE(check(Kind::kRead, path)) << path;
    EXPECT_FALSE(check(Kind::kWrite, path)) << path;
  }
  EXPECT_FALSE(check(Kind::kWrite, "/sys/class"));
  EXPECT_FALSE(check(Kind::kRead, std::string("/srv/a\0b", 8)));
  EXPECT_FALSE(check(Kind::kRead, "/srv/" + std::string(300, 'x')));
  EXPECT_TRUE(check(Kind::kNetwork, "example.org:443"));
  EXPECT_TRUE(check(Kind::kNetwork, "10.1.2.3:22"));
  for (const char* rule : {"", "!example.org", "full", "none", "/srv", "exa mple.org", "*"})
    EXPECT_FALSE(check(Kind::kNetwork, rule)) << rule;
}

TEST_F(GrantsTest, AGrantShowsAPathAndIsNamed) {
  const Policy with = policy({}, {grant(3, Kind::kRead, "/srv/data")});
  const Decision decision = decided(with, "/srv/data/deep");
  EXPECT_EQ(decision.access, Access::kRead);
  EXPECT_EQ(decision.reason, "read /srv/data (grant 3, always, 2026-11-16)");
  EXPECT_EQ(decided(policy({}, {}), "/srv/data/deep").access, Access::kHide);
  EXPECT_EQ(decided(with, "/srv/data").allow_with, "--write /srv/data") << "a flag is above a grant";
}

TEST_F(GrantsTest, AboveFilesBelowFlags) {
  const std::vector<StandingGrant> grants = {grant(1, Kind::kWrite, "/srv/data")};
  EXPECT_EQ(decided(policy({}, grants, "hide = [\"/srv/data\"]"), "/srv/data").access, Access::kWrite);
  EXPECT_EQ(decided(policy({{Key::kHide, "/srv/data", "--hide"}}, grants), "/srv/data").access, Access::kHide);
  EXPECT_EQ(decided(policy({{Key::kRead, "/srv/data", "--read"}}, grants), "/srv/data").access, Access::kRead);
}

TEST_F(GrantsTest, ShowsAHiddenOrProtectedNameLikeTheFlag) {
  EXPECT_EQ(decided(policy({}, {}), "/home/ada/ws/.env").access, Access::kHide);
  EXPECT_EQ(decided(policy({}, {grant(1, Kind::kRead, "/home/ada/ws/.env")}), "/home/ada/ws/.env").access,
            Access::kRead);
  EXPECT_EQ(decided(policy({}, {}), "/home/ada/ws/.vscode").access, Access::kRead);
  EXPECT_EQ(decided(policy({}, {grant(1, Kind::kWrite, "/home/ada/ws/.vscode")}), "/home/ada/ws/.vscode").access,
            Access::kWrite);
}

TEST_F(GrantsTest, TwoGrantsGiveTheWiderAccess) {
  const std::vector<StandingGrant> grants = {grant(1, Kind::kRead, "/srv/data"), grant(2, Kind::kWrite, "/srv/data")};
  EXPECT_EQ(decided(policy({}, grants), "/srv/data").access, Access::kWrite);
}

// An answer is about the rules that there are: at its own path it stands above them, and nowhere else.
TEST_F(GrantsTest, AGrantOutranksTheRuleThatDenied) {
  const auto with = [&](const std::vector<Setting>& flags, const std::vector<Grant>& grants) {
    Policy out = policy(flags, {});
    EXPECT_TRUE(add_live_grants(out, grants, host));
    return out;
  };
  const Grant write{Kind::kWrite, "/srv/data"};
  const Grant read{Kind::kRead, "/srv/data"};
  EXPECT_EQ(decided(with({{Key::kRead, "/srv/data", "--read"}}, {write}), "/srv/data").access, Access::kWrite);
  EXPECT_EQ(decided(with({{Key::kHide, "/srv/data", "--hide"}}, {read}), "/srv/data").access, Access::kRead);
  EXPECT_EQ(decided(with({}, {read, write}), "/srv/data").access, Access::kWrite);
  EXPECT_EQ(decided(with({}, {write, read}), "/srv/data").access, Access::kWrite);
  const Policy inner = with({{Key::kHide, "/srv/data/deep", "--hide"}}, {write});
  EXPECT_EQ(decided(inner, "/srv/data/deep").access, Access::kHide);
  EXPECT_EQ(decided(with({}, {{Kind::kWrite, "/home/ada/ws"}}), "/home/ada/ws/.env").access, Access::kHide);
  EXPECT_EQ(decided(with({}, {{Kind::kWrite, "/home/ada/ws"}}), "/home/ada/ws/.vscode").access, Access::kRead);
}

TEST_F(GrantsTest, AGrantOfADirectoryIncludesItsContents) {
  Policy out = policy({}, {});
  ASSERT_TRUE(add_live_grants(out, {{Kind::kRead, "/srv/data/deep"}, {Kind::kWrite, "/srv/data"}}, host));
  EXPECT_EQ(decided(out, "/srv/data/deep").access, Access::kWrite);
  // But a path that is hidden there by name needs its own grant, and gets no more than that.
  out = policy({}, {});
  ASSERT_TRUE(add_live_grants(out, {{Kind::kRead, "/home/ada/ws/.env"}, {Kind::kWrite, "/home/ada/ws"}}, host));
  EXPECT_EQ(decided(out, "/home/ada/ws/.env").access, Access::kRead);
  EXPECT_FALSE(add_live_grants(out, {{Kind::kWrite, "/sys/class"}}, host)) << "no more than a flag could";
}

TEST_F(GrantsTest, SkipsPathsThatNoLongerExist) {
  EXPECT_TRUE(Scope::build(policy({}, {grant(1, Kind::kRead, "/srv/gone")}), host));
}

TEST_F(GrantsTest, HostsAreAddedToTheExistingList) {
  const std::vector<StandingGrant> grants = {grant(1, Kind::kNetwork, "b.example:443")};
  const Policy none = policy({}, grants);
  EXPECT_EQ(none.network.mode, NetworkMode::kDomains);
  ASSERT_EQ(none.network.domains.size(), 1U);
  EXPECT_EQ(none.network.domains[0].origin.where, "grant 1, always, 2026-11-16");
  EXPECT_TRUE(std::any_of(none.paths.begin(), none.paths.end(), [](const PathRule& rule) {
    return rule.path == "/run/nscd" && rule.access == Access::kHide;
  }));
  EXPECT_EQ(policy({}, grants, "network = [\"a.example\"]").network.domains.size(), 2U);
  EXPECT_EQ(policy({}, grants, "network = [\"b.example:443\"]").network.domains.size(), 1U);
  EXPECT_EQ(policy({{Key::kNetwork, "a.example", "--net"}}, grants).network.domains.size(), 2U);
  EXPECT_EQ(policy({{Key::kNetwork, "none", "--net"}}, grants).network.mode, NetworkMode::kNone);
  EXPECT_EQ(policy({{Key::kNetwork, "full", "--net"}}, grants).network.mode, NetworkMode::kFull);
  EXPECT_EQ(policy({}, grants, "network = \"none\"").network.mode, NetworkMode::kDomains) << "a file is below";
}

// As a policy file it means the same: in a file a later list replaces, so the names stand together.
TEST_F(GrantsTest, PrintedAndReadBack) {
  const Policy with = policy({}, {grant(1, Kind::kNetwork, "b.example:443"), grant(2, Kind::kRead, "/srv/data")},
                             "network = [\"a.example\"]");
  EXPECT_NE(to_json(with).find("\"source\": \"grant\""), std::string::npos);
  const std::string text = to_toml(with);
  EXPECT_NE(text.find("as-by-grants"), std::string::npos) << text;
  const Document again = read_document(text, Notation::kToml, "x.toml", Source::kUserFile, {"/home/ada/ws"});
  ASSERT_TRUE(again.problems.empty()) << again.problems[0];
  Layers layers;
  layers.caller = kAda;
  layers.user = &again;
  const auto merged = merge(layers);
  ASSERT_TRUE(merged) << merged.error().text();
  EXPECT_EQ(merged->network.domains.size(), 2U) << text;
}

}  // namespace
}  // namespace pinfold::policy
