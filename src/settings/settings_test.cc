// settings_test.cc: the owners whose files are read, consent to a text, and the file that `pinfold init` writes.
// Not here: the meaning of files (policy/), the command line (tests/cli).
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/fake_host.h"
#include "settings/load.h"
#include "settings/starter.h"
#include "settings/trust.h"
#include "sys/host.h"

namespace pinfold::settings {
namespace {

const Caller kAda{"/home/ada", "/home/ada/ws/src"};
const std::string kUser = "/home/ada/.config/pinfold/config.toml";
const std::string kProject = "/home/ada/ws/pinfold.toml";

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() { host.debian().dir("/home/ada/ws/src").dir("/srv/data"); }
  Result<LoadedPolicy> load_all() {
    Sources sources;
    sources.layers.caller = kAda;
    return load(std::move(sources), host);
  }
  // "" when the run may go on.
  std::string refusal() {
    const auto loaded = load_all();
    if (!loaded) return loaded.error().text();
    const auto scope = policy::Scope::build(loaded->policy, host);
    if (!scope) return scope.error().text();
    const auto consent = check_consent(*loaded, *scope, host, kAda);
    return consent ? "" : consent.error().text();
  }
  FakeHost host;
};

TEST_F(SettingsTest, TheNearestProjectFileUpwards) {
  EXPECT_FALSE(find_project_file(kAda, host)->has_value());
  host.file(kProject, "timeout = \"1m\"");
  const auto found = find_project_file(kAda, host);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->directory, "/home/ada/ws");
  EXPECT_EQ((*found)->shown, "~/ws/pinfold.toml");
  host.file("/home/ada/ws/src/pinfold.toml", "timeout = \"2m\"");
  EXPECT_EQ((*find_project_file(kAda, host))->shown, "pinfold.toml");
}

TEST_F(SettingsTest, IgnoresFilesOfOtherUsers) {
  host.file(kProject, "").owned(kProject, 1001, 0644);
  EXPECT_EQ(find_project_file(kAda, host).error().kind(), ErrorKind::kRefused);
  host.owned(kProject, 0, 0644);
  EXPECT_FALSE(find_project_file(kAda, host)) << "root has no business in a project";
  host.owned(kProject, 1000, 0646);
  EXPECT_NE(find_project_file(kAda, host).error().text().find("every user"), std::string::npos);
  host.owned(kProject, 1000, 0664);
  EXPECT_TRUE(find_project_file(kAda, host)) << "a group of one's own";
  host.file(kUser, "").owned(kUser, 0, 0644);
  EXPECT_TRUE(find_user_file(kAda, host)->has_value()) << "the administrator may own it";
  host.owned(kUser, 1001, 0644);
  EXPECT_FALSE(find_user_file(kAda, host));
}

// A process that can create the first missing directory of the path can create the rest.
TEST_F(SettingsTest, ProtectsExistingOwnDirectories) {
  const auto protects = [&](const std::string& path) {
    const auto loaded = load_all();
    return loaded && std::any_of(loaded->policy.protect.begin(), loaded->policy.protect.end(),
                                 [&](const ProtectRule& one) { return one.name == path; });
  };
  EXPECT_TRUE(protects("/home/ada/.config"));
  EXPECT_TRUE(protects("/home/ada/.local"));
  EXPECT_TRUE(protects("/tmp/pinfold-1000"));
  host.dir("/home/ada/.config").dir("/home/ada/.local");
  EXPECT_TRUE(protects("/home/ada/.config/pinfold"));
  EXPECT_FALSE(protects("/home/ada/.config"));
  EXPECT_TRUE(protects("/home/ada/.local/state"));
  host.dir("/home/ada/.local/state/pinfold");
  EXPECT_TRUE(protects("/home/ada/.local/state/pinfold"));
}

// A process that could write there could make the next run change the access lists of other files.
TEST_F(SettingsTest, ProtectsWindowsGrantFiles) {
  const std::string grants = "/c/Users/ada/AppData/Local/pinfold/sandboxes";
  host.dir(grants).var("LOCALAPPDATA", R"(C:\Users\ada\AppData\Local\)");
  Sources sources;
  sources.layers.caller = Caller{"/c/Users/ada", "/c/Users/ada/ws", Platform::kWindows, {"/c/Windows"}};
  EXPECT_EQ(grants_directory(sources.layers.caller, host), grants);
  EXPECT_EQ(grants_directory(kAda, host), "");
  const auto loaded = load(std::move(sources), host);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_TRUE(std::any_of(loaded->policy.protect.begin(), loaded->policy.protect.end(),
                          [&](const ProtectRule& one) { return one.name == grants; }));
}

TEST_F(SettingsTest, SymlinksOutOfTheProjectAreRefused) {
  host.file("/srv/data/p.toml", "").link(kProject, "/srv/data/p.toml");
  EXPECT_EQ(find_project_file(kAda, host).error().kind(), ErrorKind::kRefused);
  host.link(kUser, "/srv/data/p.toml");
  EXPECT_TRUE(find_user_file(kAda, host)->has_value());
}

TEST_F(SettingsTest, NarrowingNeedsNoConsentWideningDoes) {
  host.file(kProject, "timeout = \"1m\"\nhide = [\"src\"]\n");
  EXPECT_EQ(refusal(), "");
  host.file(kProject, "read = [\"/srv/data\"]\nnetwork = \"full\"\n");
  const std::string text = refusal();
  EXPECT_NE(text.find("asks for more than you allow"), std::string::npos) << text;
  EXPECT_NE(text.find("~/ws/pinfold.toml:1:9"), std::string::npos) << text;
  EXPECT_NE(text.find("read /srv/data"), std::string::npos) << text;
  EXPECT_NE(text.find("network full"), std::string::npos) << text;
}

TEST_F(SettingsTest, UserPolicyMayAlreadyAllowIt) {
  host.file(kUser, "read = [\"/srv\"]");
  host.file(kProject, "read = [\"/srv/data\"]");
  EXPECT_EQ(refusal(), "");
}

// A profile that only the project defines is compared with the user's policy without it.
TEST_F(SettingsTest, AProfileOfTheProject) {
  host.file(kProject, "[profiles.ci]\nnetwork = \"full\"\n").var("PINFOLD_PROFILE", "ci");
  EXPECT_NE(refusal().find("network full"), std::string::npos);
}

TEST_F(SettingsTest, EnabledIsRemembered) {
  host.file(kUser, "enabled = false");
  EXPECT_EQ(load_all()->off, "~/.config/pinfold/config.toml:1:11");
}

TEST_F(SettingsTest, AStarterOnlyNarrows) {
  host.file("/home/ada/ws/src/package.json").file("/home/ada/ws/src/a \"b\".pem").file("/home/ada/ws/src/go.mod");
  const auto starter = starter_file("/home/ada/ws/src", host);
  ASSERT_TRUE(starter);
  EXPECT_EQ(starter->found, (std::vector<std::string>{"Node (package.json)", "Go (go.mod)"}));
  host.file("/home/ada/ws/src/pinfold.toml", starter->text);
  EXPECT_EQ(refusal(), "");
  const auto scope = policy::Scope::build(load_all()->policy, host);
  EXPECT_EQ(scope->decide("/home/ada/ws/src/a \"b\".pem").access, Access::kHide);
}

// ---- the store, on the real file system ----

class TrustTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "pinfold-trust-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    caller = {name, name + "/ws"};
    const char* before = std::getenv("XDG_CONFIG_HOME");
    if (before != nullptr) config_home = before;
    ::unsetenv("XDG_CONFIG_HOME");
    store = caller.home + "/.config/pinfold/trust.json";
  }
  void TearDown() override {
    if (config_home) ::setenv("XDG_CONFIG_HOME", config_home->c_str(), 1);
    std::filesystem::remove_all(caller.home);
  }
  PolicyFile file(std::string text) const { return {"/ws/pinfold.toml", "pinfold.toml", "/ws", std::move(text)}; }
  Caller caller;
  std::string store;
  std::optional<std::string> config_home;
  std::unique_ptr<HostView> host = sys::real_host();
};

TEST_F(TrustTest, ConsentCoversTheContentNotTheName) {
  EXPECT_FALSE(TrustStore::read(caller, *host)->covers(file("a")));
  ASSERT_TRUE(record_consent(file("a"), caller, *host));
  EXPECT_TRUE(TrustStore::read(caller, *host)->covers(file("a")));
  EXPECT_FALSE(TrustStore::read(caller, *host)->covers(file("a ")));
  ASSERT_TRUE(record_consent(file("b"), caller, *host));
  EXPECT_FALSE(TrustStore::read(caller, *host)->covers(file("a"))) << "the newer consent replaces";
  EXPECT_EQ(TrustStore::read(caller, *host)->all().size(), 1U);
  EXPECT_TRUE(*revoke_consent("/ws/pinfold.toml", caller, *host));
  EXPECT_FALSE(*revoke_consent("/ws/pinfold.toml", caller, *host));
  EXPECT_TRUE(TrustStore::read(caller, *host)->all().empty());
}

TEST_F(TrustTest, AnUntrustedStoreGivesNoConsent) {
  ASSERT_TRUE(record_consent(file("a"), caller, *host));
  ASSERT_EQ(::chmod(store.c_str(), 0666), 0);
  EXPECT_EQ(TrustStore::read(caller, *host).error().kind(), ErrorKind::kRefused);
  ASSERT_EQ(::chmod(store.c_str(), 0600), 0);
  for (const char* const text :
       {"", "{", "[]", "{\"version\": \"1\", \"trusted\": []}", "{\"version\": 2, \"trusted\": []}",
        "{\"version\": 1, \"trusted\": [{\"file\": 5}]}"}) {
    std::ofstream(store, std::ios::trunc) << text;
    const auto read = TrustStore::read(caller, *host);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind(), ErrorKind::kRefused) << text;
    EXPECT_FALSE(record_consent(file("b"), caller, *host)) << "a damaged store is not overwritten: " << text;
  }
}

TEST(HashTest, IsSha256) {
  EXPECT_EQ(hash_of("abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace pinfold::settings
