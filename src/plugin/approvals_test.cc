// approvals_test.cc: the file's format, damage and owner; and a plugin's approval status.
#include "plugin/approvals.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "plugin/approval_status.h"
#include "plugin/files_hash.h"
#include "plugin/known_files.h"
#include "sys/host.h"

namespace pinfold::plugin {
namespace {

namespace fs = std::filesystem;

Manifest plugin(Permissions permissions = {}) {
  Manifest out;
  out.id = "org.example.a";
  out.name = "A";
  out.version = "1.0.0";
  out.entry = "a.js";
  out.permissions = std::move(permissions);
  return out;
}

Permissions network(const char* host) {
  Permissions out;
  out.network = {{host}};
  return out;
}

Fingerprint print_of(const Manifest& manifest, char files = '1') {
  return {permissions_hash(manifest.permissions), "sha256:" + std::string(64, files)};
}

TEST(Approvals, Shape) {
  Approvals all;
  approve(all, plugin(network("a.org")), print_of(plugin(network("a.org"))));
  deny(all, "com.example.sketchy-plugin");
  all.approved["org.example.a"].tools["greet"] = "sha256/v1:" + std::string(64, 'a');
  const auto json = nlohmann::json::parse(print_approvals(all));
  const auto& row = json["approved"]["org.example.a"];
  EXPECT_EQ(row["version"], "1.0.0");
  EXPECT_EQ(row["permissions_hash"], permissions_hash(network("a.org")));
  EXPECT_EQ(row["approved_at"].get<std::string>().size(), std::string("2026-02-20T12:00:00Z").size());
  EXPECT_EQ(json["denied"]["com.example.sketchy-plugin"].size(), 1u);
  const auto again = parse_approvals(print_approvals(all));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(print_approvals(*again), print_approvals(all));
}

TEST(Approvals, RefusesUnknownFields) {
  const auto read = parse_approvals(R"({"approved": {"com.omni-glass.test": {"version": "0.1.0", "permissions_hash":
    "sha256:0000000000000000000000000000000000000000000000000000000000000000", "approved_at": "2026-02-20T12:00:00Z"}},
    "denied": {"com.example.sketchy-plugin": {"denied_at": "2026-02-20T13:00:00Z"}}})");
  ASSERT_TRUE(read) << read.error().text();
  Manifest manifest = plugin();
  manifest.id = "com.omni-glass.test";
  EXPECT_EQ(approval_status_of(manifest, print_of(manifest), *read).state, State::kChanged);
  const auto again = parse_approvals(print_approvals(*read));
  ASSERT_TRUE(again) << again.error().text();
}

TEST(Approvals, DamagedFileIsAnError) {
  Approvals all;
  approve(all, plugin(network("a.org")), print_of(plugin(network("a.org"))));
  const std::string good = print_approvals(all);
  ASSERT_TRUE(parse_approvals(good));
  for (std::size_t end = 0; end + 2 < good.size(); ++end) EXPECT_FALSE(parse_approvals(good.substr(0, end))) << end;
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"a.org", "evil.org"},
                                                                                 {"\"denied\"", "\"Denied\""},
                                                                                 {"\"version\"", "\"versions\""},
                                                                                 {"org.example.a", "../a"},
                                                                                 {"\"tools\": {}", "\"tools\": []"},
                                                                                 {"\"1.0.0\"", "1"}})
    EXPECT_FALSE(parse_approvals(changed(from, to))) << to;
}

TEST(ApprovalStatus, ChangesWithDecisions) {
  Approvals all;
  const Manifest first = plugin(network("a.org"));
  EXPECT_EQ(approval_status_of(first, print_of(first), all).state, State::kNew);
  approve(all, first, print_of(first));
  EXPECT_EQ(approval_status_of(first, print_of(first), all).state, State::kApproved);
  EXPECT_FALSE(approval_status_of(first, print_of(first), all).update);

  const ApprovalStatus code = approval_status_of(first, print_of(first, '2'), all);
  EXPECT_EQ(code.state, State::kChanged);
  EXPECT_TRUE(code.code_changed);
  EXPECT_FALSE(code.difference);

  Manifest more = plugin(network("a.org"));
  more.permissions.network.push_back({"b.org"});
  const ApprovalStatus grown = approval_status_of(more, print_of(more), all);
  EXPECT_EQ(grown.state, State::kChanged);
  EXPECT_FALSE(grown.code_changed);
  EXPECT_EQ(grown.difference->added, (std::vector<Item>{{PermissionKind::kNetwork, "b.org"}}));

  const Manifest less = plugin();
  const ApprovalStatus shrunk = approval_status_of(less, print_of(less), all);
  EXPECT_EQ(shrunk.state, State::kApproved);
  EXPECT_TRUE(shrunk.update);
  EXPECT_EQ(approval_status_of(less, print_of(less, '2'), all).state, State::kChanged);
  approve(all, less, print_of(less));
  EXPECT_EQ(approval_status_of(first, print_of(first), all).state, State::kChanged)
      << "a removed permission is requested again";

  deny(all, first.id);
  EXPECT_EQ(approval_status_of(first, print_of(first), all).state, State::kDenied);
  EXPECT_EQ(approval_status_of(more, print_of(more, '3'), all).state, State::kDenied);
  EXPECT_TRUE(forget(all, first.id));
  EXPECT_FALSE(forget(all, first.id));
  EXPECT_EQ(approval_status_of(first, print_of(first), all).state, State::kNew);
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string pattern = (fs::temp_directory_path() / "pinfold-approvals-XXXXXX").string();
    home_ = ::mkdtemp(pattern.data());
    ::unsetenv("XDG_CONFIG_HOME");
  }
  ~StoreTest() override { fs::remove_all(home_); }
  Caller caller() const { return {home_, home_}; }
  std::string file() const { return home_ + "/.config/pinfold/plugin-approvals.json"; }
  void write(const std::string& text) const {
    fs::create_directories(fs::path(file()).parent_path());
    std::ofstream(file()) << text;
    ::chmod(file().c_str(), 0600);
  }
  std::string home_;
  std::unique_ptr<HostView> host_ = sys::real_host();
};

TEST_F(StoreTest, OwnerOnly) {
  ApprovalStore store(caller(), *host_);
  EXPECT_TRUE(store.read()->approved.empty());
  ASSERT_TRUE(store.change([](Approvals& all) { deny(all, "a"); }));
  struct stat info {};
  ASSERT_EQ(::stat(file().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_TRUE(store.read()->denied.contains("a"));
}

TEST_F(StoreTest, NotTrusted) {
  ApprovalStore store(caller(), *host_);
  write(R"({"approved": {}, "denied": {}})");
  EXPECT_TRUE(store.read());
  ::chmod(file().c_str(), 0660);
  EXPECT_NE(store.read().error().text().find("can be written by others"), std::string::npos);
  fs::remove(file());
  const std::string elsewhere = home_ + "/elsewhere.json";
  std::ofstream(elsewhere) << R"({"approved": {}, "denied": {}})";
  fs::create_symlink(elsewhere, file());
  EXPECT_FALSE(store.read());
}

TEST_F(StoreTest, DamagedIsSetAside) {
  ApprovalStore store(caller(), *host_);
  write("{\"approved\": {");
  EXPECT_NE(store.read().error().text().find("is damaged"), std::string::npos);
  EXPECT_FALSE(store.update([](Approvals& all) { deny(all, "a"); }));
  const auto changed = store.change([](Approvals& all) { deny(all, "a"); });
  ASSERT_TRUE(changed) << changed.error().text();
  ASSERT_TRUE(changed->set_aside);
  std::ifstream aside(*changed->set_aside);
  std::string kept((std::istreambuf_iterator<char>(aside)), {});
  EXPECT_EQ(kept, "{\"approved\": {");
  EXPECT_TRUE(store.read()->denied.contains("a"));
}

class FilesHashTest : public StoreTest {
 protected:
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(home_ + "/p/" + name).parent_path());
    std::ofstream(home_ + "/p/" + name) << text;
  }
  std::string hash(FolderBounds bounds = {}) const {
    const auto found = files_hash(home_ + "/p", "start", bounds);
    return found ? *found : found.error().text();
  }
};

TEST_F(FilesHashTest, EveryChangeChangesTheHash) {
  put("a.js", "1");
  put("lib/b.js", "2");
  put(kManifestFile, "{}");
  const std::string first = hash();
  EXPECT_TRUE(first.starts_with("sha256:"));
  EXPECT_EQ(hash(), first);
  put(kManifestFile, "{\"x\": 1}");
  EXPECT_EQ(hash(), first) << "the manifest's own permissions are compared apart";
  std::vector<std::string> seen = {first};
  const auto step = [&](const char* what) {
    const std::string now = hash();
    for (const std::string& before : seen) EXPECT_NE(now, before) << what;
    seen.push_back(now);
  };
  put("a.js", "3");
  step("contents");
  ::chmod((home_ + "/p/a.js").c_str(), 0755);
  step("executable");
  fs::create_directory(home_ + "/p/empty");
  step("an empty directory");
  fs::create_symlink("a.js", home_ + "/p/link");
  step("a link");
  fs::remove(home_ + "/p/link");
  fs::create_symlink("/etc/passwd", home_ + "/p/link");
  step("where it leads");
  fs::rename(home_ + "/p/lib/b.js", home_ + "/p/lib/c.js");
  step("a name");
  put("lib/pinfold.plugin.json", "x");
  step("a manifest that is not the plugin's");
  EXPECT_NE(files_hash(home_ + "/p", "other start").value(), hash());
}

TEST_F(FilesHashTest, Bounds) {
  for (int i = 0; i < 20; ++i) put("f" + std::to_string(i), "12345");
  EXPECT_NE(hash({10}).find("more than 10 files"), std::string::npos);
  EXPECT_NE(hash({100, 50}).find("MiB"), std::string::npos);
  put("a/b/c/d", "");
  EXPECT_NE(hash({100, 5000, 2}).find("nested"), std::string::npos);
  ASSERT_EQ(::mkfifo((home_ + "/p/pipe").c_str(), 0600), 0);
  EXPECT_NE(hash().find("neither a file"), std::string::npos);
}

TEST_F(FilesHashTest, UnchangedFilesAreNotReadAgain) {
  const std::string state = home_ + "/state";
  const auto known = [&] { return known_files_hash(home_ + "/p", "start", state).value(); };
  put("big", std::string(3 << 20, 'x'));
  put("small", "1");
  EXPECT_EQ(known(), hash());
  EXPECT_FALSE(fs::exists(state + "/files")) << "too young: a change in the same tick could not be told";
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_EQ(known(), hash());
  ASSERT_TRUE(fs::exists(state + "/files"));
  EXPECT_EQ(known(), hash());
  const auto was = fs::last_write_time(home_ + "/p/small");
  put("small", "2");
  fs::last_write_time(home_ + "/p/small", was);
  EXPECT_EQ(known(), hash()) << "a change with the old size and time";
  put("small", "1");
  EXPECT_EQ(known(), hash());
  std::ofstream(state + "/files") << "sha256:x sha256:y\n";
  EXPECT_EQ(known(), hash());
  EXPECT_NE(known_files_hash(home_ + "/p", "other", state).value(), hash());
}

TEST_F(FilesHashTest, Copies) {
  put("a.js", "1");
  put("lib/b.sh", "2");
  ::chmod((home_ + "/p/lib/b.sh").c_str(), 0700);
  fs::create_symlink("../a.js", home_ + "/p/lib/link");
  ASSERT_TRUE(copy_folder(home_ + "/p", home_ + "/q"));
  EXPECT_EQ(files_hash(home_ + "/q", "start").value(), hash());
  fs::create_symlink("../../x", home_ + "/p/lib/out");
  EXPECT_FALSE(copy_folder(home_ + "/p", home_ + "/r"));
}

}  // namespace
}  // namespace pinfold::plugin
