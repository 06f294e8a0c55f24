// grant_store_test.cc: grants on the real file system: stored, listed, revoked; damaged files; many writers; a writer
// that is killed. Not here: the command line around it (tests/cli/grants.py).
#include "session/grant_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "session/apply_grants.h"
#include "session/grant_text.h"
#include "sys/host.h"

namespace pinfold::session {
namespace {

using Kind = Grant::Kind;

class GrantStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "pinfold-grants-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base = std::filesystem::canonical(name);
    caller = {base + "/home", base + "/ws"};
    for (const char* one : {"/home", "/ws", "/data"}) std::filesystem::create_directory(base + one);
    for (const char* variable : {"XDG_CONFIG_HOME", "XDG_STATE_HOME"}) {
      const char* before = std::getenv(variable);
      if (before != nullptr) kept.emplace_back(variable, before);
      ::unsetenv(variable);
    }
    place = caller.home + "/.config/pinfold/grants";
  }
  void TearDown() override {
    for (const auto& [name, value] : kept) ::setenv(name.c_str(), value.c_str(), 1);
    std::filesystem::remove_all(base);
  }
  GrantStore store() { return {caller, *host}; }
  StoredGrant grant(Kind kind, std::string resource, std::optional<std::string> project = std::nullopt) const {
    ApprovalRequest request;
    request.operation = "read";
    request.resource = resource;
    request.program = "/usr/bin/cat";
    return stored_grant(request, {kind, std::move(resource)}, std::move(project));
  }
  std::string only_file() const {
    for (const auto& entry : std::filesystem::directory_iterator(place))
      if (entry.path().extension() == ".json") return entry.path();
    return {};
  }
  static void overwrite(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::trunc | std::ios::binary) << text;
  }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string base;
  Caller caller;
  std::string place;
  std::vector<std::pair<std::string, std::string>> kept;
  std::unique_ptr<HostView> host = sys::real_host();
};

const GrantScope kEverything{true, {}, true};

TEST_F(GrantStoreTest, StoresGrantsForTheUserAndForAProject) {
  EXPECT_FALSE(store().exists());
  EXPECT_TRUE(store().list(kEverything).grants.empty());
  EXPECT_FALSE(std::filesystem::exists(caller.home + "/.config")) << "looking makes nothing";
  EXPECT_EQ(store().add(grant(Kind::kRead, "/srv/a")), 1U);
  EXPECT_EQ(store().add(grant(Kind::kWrite, "/srv/b", base + "/ws")), 2U);
  EXPECT_EQ(store().add(grant(Kind::kNetwork, "example.org:443", "/elsewhere")), 3U);
  EXPECT_EQ(store().add(grant(Kind::kRead, "/srv/a")), 1U) << "the same again";

  const auto here = store().list({true, {base + "/ws"}}).grants;
  ASSERT_EQ(here.size(), 2U);
  EXPECT_EQ(here[0].grant, (Grant{Kind::kRead, "/srv/a"}));
  EXPECT_EQ(here[0].program, "/usr/bin/cat");
  EXPECT_EQ(here[0].operation, "read");
  EXPECT_EQ(here[0].requested, "/srv/a");
  EXPECT_FALSE(here[0].project);
  EXPECT_EQ(here[1].project, base + "/ws");
  EXPECT_EQ(store().list(kEverything).grants.size(), 3U);
  EXPECT_EQ(store().list({false, {"/elsewhere"}}).grants.size(), 1U);

  for (const auto& entry : std::filesystem::directory_iterator(place)) {
    struct stat info {};
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << entry.path();
  }
  struct stat info {};
  ASSERT_EQ(::stat(place.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(GrantStoreTest, DoesNotReuseNumbers) {
  ASSERT_EQ(store().add(grant(Kind::kRead, "/srv/a")), 1U);
  ASSERT_EQ(store().add(grant(Kind::kRead, "/srv/b")), 2U);
  ASSERT_TRUE(store().revoke({2}));
  EXPECT_EQ(store().add(grant(Kind::kRead, "/srv/c")), 3U);
  overwrite(place + "/.next", "garbage");
  EXPECT_EQ(store().add(grant(Kind::kRead, "/srv/d")), 4U) << "continues after the stored numbers";
}

TEST_F(GrantStoreTest, RevokedAllOrNone) {
  for (const char* path : {"/srv/a", "/srv/b", "/srv/c"}) ASSERT_TRUE(store().add(grant(Kind::kRead, path)));
  ASSERT_TRUE(store().add(grant(Kind::kRead, "/srv/d", base + "/ws")));
  EXPECT_EQ(store().revoke({1, 9}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(store().list(kEverything).grants.size(), 4U);
  const auto gone = store().revoke({4, 2});
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->size(), 2U);
  const auto left = store().list(kEverything).grants;
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].number, 1U);
  EXPECT_EQ(left[1].number, 3U);
}

TEST_F(GrantStoreTest, BytesThatAreNotUtf8Survive) {
  const std::string odd = "/srv/\xff\xfe \n\x01";
  StoredGrant one = grant(Kind::kRead, odd, base + "/\xe9");
  one.program = "\xff";
  ASSERT_TRUE(store().add(one));
  const auto back = store().list({true, {base + "/\xe9"}}).grants;
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].grant.resource, odd);
  EXPECT_EQ(back[0].program, "\xff");
  EXPECT_EQ(back[0].project, base + "/\xe9");
}

TEST_F(GrantStoreTest, DoesNotStoreForbiddenGrants) {
  for (const std::string& path : {std::string("/"), caller.home, base, std::string("/srv/../etc"),
                                  caller.home + "/.config/pinfold/grants", caller.home + "/.local/state/pinfold"})
    EXPECT_FALSE(store().add(grant(Kind::kWrite, path))) << path;
  EXPECT_FALSE(store().add(grant(Kind::kRead, "/srv", "relative")));
  EXPECT_FALSE(store().exists()) << "nothing was made for it";
}

TEST_F(GrantStoreTest, IgnoresAndKeepsAnUntrustedFile) {
  ASSERT_TRUE(store().add(grant(Kind::kRead, "/srv/a")));
  const std::string path = only_file();
  const std::string good = text_of(path);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::vector<std::string> all = {"",
                                        "{",
                                        "[]",
                                        "null",
                                        good.substr(0, good.size() - 20),
                                        with("\"version\": 1", "\"version\": 2"),
                                        with("\"version\": 1", "\"version\": \"1\""),
                                        with("\"number\": 1", "\"number\": 0"),
                                        with("\"read\"", "\"own\""),
                                        with("/srv/a", "/"),
                                        with("/srv/a", "/srv/../etc"),
                                        with("/srv/a", caller.home),
                                        with("\"project\": null", "\"project\": \"/other\""),
                                        with("\"since\": \"", "\"since\": \"x"),
                                        with("\"kind\"", "\"more\": 1, \"kind\""),
                                        std::string(50, '\xff')};
  for (const std::string& text : all) {
    overwrite(path, text);
    const GrantListing listing = store().list({true, {base + "/ws"}});
    EXPECT_TRUE(listing.grants.empty()) << text;
    ASSERT_EQ(listing.problems.size(), 1U) << text;
    EXPECT_NE(listing.problems[0].text().find("user.json is damaged"), std::string::npos) << listing.problems[0].text();
    EXPECT_NE(listing.problems[0].fix().find("pinfold grants clear --user"), std::string::npos);
    EXPECT_FALSE(store().add(grant(Kind::kRead, "/srv/b"))) << text;
    EXPECT_FALSE(store().add(grant(Kind::kRead, "/srv/b", base + "/ws"))) << text;
    EXPECT_FALSE(store().revoke({1})) << text;
    EXPECT_EQ(text_of(path), text) << "it was written over";
  }
  overwrite(path, good);
  for (const mode_t mode : {0620U, 0602U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_EQ(store().list(kEverything).problems.size(), 1U) << mode;
  }
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  if (::getuid() == 0) {
    ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
    EXPECT_EQ(store().list(kEverything).problems.size(), 1U);
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  }
  ASSERT_EQ(::chmod(place.c_str(), 0777), 0);
  EXPECT_EQ(store().list(kEverything).problems.size(), 1U);
  EXPECT_FALSE(store().add(grant(Kind::kRead, "/srv/b")));
  ASSERT_EQ(::chmod(place.c_str(), 0700), 0);
  std::filesystem::rename(path, base + "/elsewhere.json");
  std::filesystem::create_symlink(base + "/elsewhere.json", path);
  EXPECT_EQ(store().list(kEverything).problems.size(), 1U) << "a link out of the directory";
  std::filesystem::remove(path);
  std::filesystem::rename(base + "/elsewhere.json", path);
  EXPECT_EQ(store().list(kEverything).grants.size(), 1U) << "as good as before";
}

TEST_F(GrantStoreTest, ClearQuarantinesAnUnreadableFile) {
  ASSERT_TRUE(store().add(grant(Kind::kRead, "/srv/a", base + "/ws")));
  ASSERT_TRUE(store().add(grant(Kind::kRead, "/srv/b")));
  overwrite(place + "/user.json", "{");
  const auto cleared = store().clear({true, {base + "/ws"}});
  ASSERT_TRUE(cleared) << cleared.error().text();
  EXPECT_EQ(cleared->grants, 1U);
  ASSERT_EQ(cleared->set_aside.size(), 1U);
  EXPECT_EQ(text_of(cleared->set_aside[0]), "{");
  EXPECT_TRUE(store().list(kEverything).grants.empty());
  EXPECT_TRUE(store().list(kEverything).problems.empty());
  EXPECT_EQ(store().add(grant(Kind::kRead, "/srv/c")), 3U);
}

TEST_F(GrantStoreTest, ManyWritersLoseNothing) {
  constexpr int kWriters = 8;
  constexpr int kEach = 12;
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int failed = 0;
      for (int i = 0; i < kEach; ++i) {
        const std::string path = "/srv/" + std::to_string(writer) + "-" + std::to_string(i);
        const auto project = i % 2 == 0 ? std::optional(base + "/ws") : std::nullopt;
        failed += !store().add(grant(Kind::kRead, path, project));
      }
      ::_exit(failed);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const GrantListing listing = store().list(kEverything);
  EXPECT_TRUE(listing.problems.empty());
  std::set<std::uint64_t> numbers;
  for (const StoredGrant& one : listing.grants) numbers.insert(one.number);
  EXPECT_EQ(listing.grants.size(), static_cast<std::size_t>(kWriters * kEach));
  EXPECT_EQ(numbers.size(), listing.grants.size()) << "each has a number of its own";
}

// Killed at any moment, the writer leaves a whole file with every grant whose add() returned.
TEST_F(GrantStoreTest, KilledWhileWriting) {
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0;; ++i) {
        const auto number = store().add(grant(Kind::kRead, "/srv/" + std::to_string(round) + "-" + std::to_string(i)));
        if (!number) ::_exit(1);
        if (::write(ends[1], &*number, sizeof *number) != sizeof *number) ::_exit(1);
      }
    }
    ::close(ends[1]);
    std::set<std::uint64_t> stored;
    std::uint64_t number = 0;
    Moment before;
    for (int i = 0; i < 2; ++i) {
      before = std::chrono::system_clock::now();
      ASSERT_EQ(::read(ends[0], &number, sizeof number), static_cast<ssize_t>(sizeof number));
      stored.insert(number);
    }
    // Each round a little later in the next add(), which takes about as long as the one before.
    const auto one_add = std::chrono::system_clock::now() - before;
    std::this_thread::sleep_for(one_add * round / kRounds);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    while (::read(ends[0], &number, sizeof number) == sizeof number) stored.insert(number);
    ::close(ends[0]);
    const GrantListing listing = store().list(kEverything);
    ASSERT_TRUE(listing.problems.empty()) << listing.problems[0].text();
    for (const StoredGrant& one : listing.grants) stored.erase(one.number);
    ASSERT_TRUE(stored.empty()) << *stored.begin() << " was lost";
    ASSERT_TRUE(store().clear(kEverything));
  }
}

TEST_F(GrantStoreTest, AppliesGrantsOfTheProject) {
  std::filesystem::create_directory(base + "/real");
  std::filesystem::create_directory_symlink(base + "/real", base + "/link");
  ASSERT_TRUE(store().add(grant(Kind::kRead, base + "/data", base + "/ws")));
  ASSERT_TRUE(store().add(grant(Kind::kRead, base + "/gone")));
  ASSERT_TRUE(store().add(grant(Kind::kRead, base + "/link")));
  ASSERT_TRUE(store().add(grant(Kind::kNetwork, "example.org:443", "/elsewhere")));
  const auto loaded_in = [&](const std::string& directory) {
    settings::Sources sources;
    sources.layers.caller = {caller.home, directory};
    sources.environment = settings::SourceUse::kIgnore;
    auto loaded = settings::load(std::move(sources), *host);
    EXPECT_TRUE(loaded) << loaded.error().text();
    EXPECT_TRUE(apply_grants(*loaded, {caller.home, directory}, *host).empty());
    return std::move(loaded->policy);
  };
  const auto given = [](const Policy& policy) {
    std::vector<std::string> out;
    for (const PathRule& rule : policy.paths)
      if (rule.origin.where.starts_with("grant ")) out.push_back(rule.path);
    return out;
  };
  EXPECT_EQ(given(loaded_in(base + "/ws")), std::vector<std::string>{base + "/data"})
      << "a missing path and a symlink give nothing";
  EXPECT_TRUE(given(loaded_in(base + "/data")).empty()) << "another project";
  EXPECT_EQ(loaded_in(base + "/ws").network.mode, NetworkMode::kNone) << "another project's name";
}

TEST_F(GrantStoreTest, OneUnreadableFileDisablesAllGrants) {
  ASSERT_TRUE(store().add(grant(Kind::kRead, base + "/data")));
  ASSERT_TRUE(store().add(grant(Kind::kRead, base + "/data", base + "/ws")));
  overwrite(place + "/user.json", "");
  settings::Sources sources;
  sources.layers.caller = caller;
  auto loaded = settings::load(std::move(sources), *host);
  ASSERT_TRUE(loaded);
  const std::size_t before = loaded->policy.paths.size();
  EXPECT_EQ(apply_grants(*loaded, caller, *host).size(), 1U);
  EXPECT_EQ(loaded->policy.paths.size(), before);
}

}  // namespace
}  // namespace pinfold::session
