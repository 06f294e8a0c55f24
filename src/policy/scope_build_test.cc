// scope_build_test.cc: policies that are refused: missing paths, planted symlinks, workspaces that are too wide.
// Not here: precedence (scope_test.cc).
#include <gtest/gtest.h>

#include "base/fake_host.h"
#include "policy/scope.h"

namespace pinfold::policy {
namespace {

const Caller kAda{"/home/ada", "/home/ada/ws"};
Origin flag(std::string where) { return {Source::kFlag, std::move(where)}; }

class ScopeBuild : public testing::Test {
 protected:
  ScopeBuild() { host.debian().dir("/home/ada/ws/src").dir("/srv/data"); }
  PolicyBuilder builder(std::string_view preset = "moderate", const Caller& caller = kAda) {
    return {preset, caller, flag("--profile")};
  }
  Result<Scope> build(PolicyBuilder&& b) {
    auto policy = std::move(b).build();
    EXPECT_TRUE(policy) << policy.error().text();
    return Scope::build(*policy, host);
  }
  void refused(PolicyBuilder&& b, ErrorKind kind, std::string_view part, std::string_view fix = {}) {
    auto scope = build(std::move(b));
    ASSERT_FALSE(scope) << part;
    EXPECT_EQ(scope.error().kind(), kind) << scope.error().text();
    EXPECT_NE(scope.error().text().find(part), std::string::npos) << scope.error().text();
    EXPECT_NE(scope.error().fix().find(fix), std::string::npos) << scope.error().fix();
  }
  FakeHost host;
};

TEST_F(ScopeBuild, MissingPathsOfAUserAreErrors) {
  refused(std::move(builder().read("/nope", flag("--read"))), ErrorKind::kInvalid, "--read: /nope does not exist",
          "create it");
  refused(std::move(builder().write("out/x", flag("--write"))), ErrorKind::kInvalid,
          "/home/ada/ws/out/x does not exist");
  refused(std::move(builder().hide("/srv/key", flag("--hide"))), ErrorKind::kInvalid, "cannot hide /srv/key",
          "--hide '**/key'");
  refused(std::move(builder().workspace("/nope", flag("--workspace"))), ErrorKind::kInvalid, "/nope does not exist",
          "--workspace");
  refused(std::move(builder().protect("/nope/x", flag("--protect"))), ErrorKind::kInvalid, "cannot protect /nope/x");
  auto both = build(std::move(builder().read("/a\nb", flag("--read")).read("/c", flag("--read"))));
  ASSERT_FALSE(both);
  EXPECT_NE(both.error().text().find("/a\\nb"), std::string::npos) << "all at once, and on one line each";
  EXPECT_NE(both.error().text().find("/c"), std::string::npos);
}

// Only its target can be hidden: the command would put another link or directory in its place.
TEST_F(ScopeBuild, AWritableLinkToAnOwnDirectoryIsRefused) {
  host.home("/home/ada").dir("/srv/dot/pinfold").dir("/home/ada/.config");
  host.link("/home/ada/.config/pinfold", "/srv/dot/pinfold");
  refused(std::move(builder().write("/home/ada/.config", flag("--write"))), ErrorKind::kRefused,
          "--write: the symbolic link /home/ada/.config/pinfold -> /srv/dot/pinfold leads to Pinfold's own settings",
          "rm /home/ada/.config/pinfold && cp -a /srv/dot/pinfold /home/ada/.config/pinfold");
  EXPECT_TRUE(build(builder())) << "it lies where nothing is writable";
  EXPECT_TRUE(build(std::move(builder().read("/home/ada", flag("--read")))));
  EXPECT_TRUE(build(std::move(builder().write("/srv/dot", flag("--write"))))) << "the target is hidden there";
}

TEST_F(ScopeBuild, ALinkToADirectoryAboveAnOwnOneIsRefused) {
  host.home("/home/ada").dir("/srv/state").link("/home/ada/.local", "/srv/l").link("/home/ada/.cache", "/srv/gone");
  host.dir("/srv/l").link("/srv/l/state", "/srv/state");
  refused(std::move(builder().write("/srv/l", flag("--write"))), ErrorKind::kRefused,
          "the symbolic link /srv/l/state -> /srv/state leads to Pinfold's own journal");
  refused(std::move(builder().write("/home/ada", flag("--write"))), ErrorKind::kRefused,
          "the symbolic link /home/ada/.cache -> /srv/gone");
  host.dir("/run/user/9").link("/srv/r", "/run/user/9").var("XDG_RUNTIME_DIR", "/srv/r");
  refused(std::move(builder().write("/srv", flag("--write"))), ErrorKind::kRefused, "the symbolic link /srv/r");
}

TEST_F(ScopeBuild, SymlinkPlantedInAWritableRoot) {
  host.link("/home/ada/ws/a", "/home/ada").dir("/home/ada/b").file("/home/ada/ws/src/x").link("/home/ada/ws/in", "src");
  for (const char* path : {"a/b", "a"}) {
    refused(std::move(builder().write(path, flag("--write"))), ErrorKind::kRefused, "symlink /home/ada/ws/a",
            "/home/ada");
    refused(std::move(builder().read(path, flag("--read"))), ErrorKind::kRefused, "symlink /home/ada/ws/a");
    refused(std::move(builder().hide(path, flag("--hide"))), ErrorKind::kRefused, "symlink /home/ada/ws/a");
  }
  refused(std::move(builder().protect("/home/ada/ws/a/b", flag("--protect"))), ErrorKind::kRefused, "symlink");
  EXPECT_TRUE(build(std::move(builder().read("in/x", flag("--read"))))) << "a link that stays inside gives nothing new";
  EXPECT_TRUE(build(std::move(builder("strict").read("a/b", flag("--read"))))) << "nothing writable, nothing planted";
}

TEST_F(ScopeBuild, ChainsOfLinks) {
  host.link("/srv/ok", "/home/ada/ws/hop").link("/home/ada/ws/hop", "/etc");
  refused(std::move(builder().read("/srv/ok", flag("--read"))), ErrorKind::kRefused, "/home/ada/ws/hop -> /etc");
}

TEST_F(ScopeBuild, APlantedLinkInsideTheRootCannotLiftARule) {
  host.dir("/home/ada/ws/.git/hooks")
      .link("/home/ada/ws/l", ".git/hooks")
      .dir("/home/ada/ws/ro/sub")
      .link("/home/ada/ws/m", "ro/sub");
  host.file("/home/ada/ws/.env").link("/home/ada/ws/e", ".env");
  refused(std::move(builder().write("l", flag("--write"))), ErrorKind::kRefused, "symlink /home/ada/ws/l");
  refused(std::move(builder().write("m", flag("--write")).read("ro", flag("--read"))), ErrorKind::kRefused,
          "/home/ada/ws/m");
  refused(std::move(builder().read("e", flag("--read"))), ErrorKind::kRefused, "/home/ada/ws/e");
}

TEST_F(ScopeBuild, FollowsTheUsersLinksElsewhere) {
  host.dir("/data/nvm").link("/home/ada/.nvm", "/data/nvm").link("/home/ada/link", "ws");
  auto scope = build(std::move(builder().workspace("/home/ada/link", flag("--workspace"))));
  ASSERT_TRUE(scope) << scope.error().text();
  EXPECT_EQ(scope->workspaces(), std::vector<std::string>{"/home/ada/ws"});
  EXPECT_EQ(scope->decide("/data/nvm/x").access, Access::kRead);
  bool nvm = false;
  bool bin = false;
  for (const HostLink& link : scope->links()) nvm |= link.at == "/home/ada/.nvm", bin |= link.at == "/bin";
  EXPECT_TRUE(nvm && bin);
}

TEST_F(ScopeBuild, APresetPathThroughAPlantedLinkIsNotShown) {
  host.dir("/data/nvm").link("/home/ada/.nvm", "/data/nvm");
  auto scope = build(std::move(builder().write("/home/ada", flag("--write"))));
  ASSERT_TRUE(scope) << scope.error().text();
  EXPECT_EQ(scope->decide("/data/nvm").access, Access::kHide);
}

TEST_F(ScopeBuild, WorkspacesThatAreTooWide) {
  for (const char* dir : {"/", "/home", "/home/ada", "/tmp"})
    refused(builder("moderate", {"/home/ada", dir}), ErrorKind::kInvalid, "the workspace", "--workspace DIR");
  host.file("/home/ada/file").link("/home/ada/ws/up", "/home/ada");
  refused(std::move(builder().workspace("/home/ada/file", flag("--workspace"))), ErrorKind::kInvalid,
          "not a directory");
  auto full = build(std::move(
      builder("danger-full-access", {"/home/ada", "/home/ada"}).allow(danger::FullAccess("test"), flag("x"))));
  ASSERT_TRUE(full) << full.error().text();
  EXPECT_EQ(full->decide("/home/ada/.ssh/id").access, Access::kWrite);
  EXPECT_EQ(full->decide("/sys/kernel").access, Access::kRead);
}

TEST_F(ScopeBuild, HomeFromTheEnvironmentCountsToo) {
  host.dir("/scratch/home/ws").var("HOME", "/scratch/home");
  refused(builder("moderate", {"/scratch/home", "/scratch"}), ErrorKind::kInvalid, "contains your home");
}

TEST_F(ScopeBuild, HidesAFileWithTheNameOfAPattern) {
  host.file("/home/ada/ws/a[1]");
  auto scope = build(std::move(builder().hide("a[1]", flag("--hide"))));
  ASSERT_TRUE(scope);
  EXPECT_EQ(scope->decide("/home/ada/ws/a[1]").access, Access::kHide);
  EXPECT_EQ(scope->decide("/home/ada/ws/a1").access, Access::kHide);
}

// A root has no root around it in which it could be protected: the protection counts as a read rule all the same.
TEST_F(ScopeBuild, AProtectedRootIsNotWritable) {
  auto scope = build(std::move(builder().protect("/home/ada/ws", flag("--protect"))));
  ASSERT_TRUE(scope) << scope.error().text();
  EXPECT_EQ(scope->decide("/home/ada/ws/src").access, Access::kRead);
  EXPECT_EQ(scope->decide("/home/ada/ws").reason, "--protect /home/ada/ws");
  // A later source lifts it, as with any other rule.
  scope = build(std::move(
      builder().protect("/srv/data", {Source::kUserFile, "config.toml:1:1"}).write("/srv/data", flag("--write"))));
  ASSERT_TRUE(scope) << scope.error().text();
  EXPECT_EQ(scope->decide("/srv/data").access, Access::kWrite);
}

}  // namespace
}  // namespace pinfold::policy
