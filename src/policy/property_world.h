// property_world.h: random small hosts and random rules on them, for the property tests.
// Invariant: few names, so that rules meet; decisions are compared at existing and at missing paths.
// Not here: the properties (…_property_test.cc).
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/fake_host.h"
#include "base/paths.h"
#include "pinfold/policy.h"
#include "policy/setting.h"

namespace pinfold::policy {

using Names = std::vector<std::string>;

inline const Names kNames = {"a", "b", ".git", "hooks", ".vscode", "node_modules", ".env", "k.pem"};
inline const Names kPatterns = {"**/.env", "*.pem",          "a/**/b",           "b",          "/w/*/.env",
                                "/w/a/**", "node_modules/*", "**/{a,.vscode}/b", "[ab]/hooks", "/tmp/**/a"};
inline const Names kProtectNames = {".git/hooks", ".vscode", "a/b", "b", "node_modules", "hooks"};
inline const Caller kMia{"/home/mia", "/w/a"};

inline std::string random_path(int least, int most) {
  std::string path = "/w";
  for (int parts = *rc::gen::inRange(least, most + 1); parts > 0; --parts) path += "/" + *rc::gen::elementOf(kNames);
  return path;
}

class World {
 public:
  World() {
    host.home("/home/mia").var("HOME", "/home/mia").dir("/home/mia/x").dir("/w/a").dir("/tmp/t").dir("/var/tmp");
    host.dir("/dev/shm").dir("/proc").dir("/usr/bin").dir("/etc");
    known = {"/", "/w", "/w/a", "/tmp", "/tmp/t", "/dev/shm", "/dev/null", "/usr", "/home/mia", "/home/mia/x"};
    for (int i = *rc::gen::inRange(2, 10); i > 0; --i) grow();
    compared.insert(known.begin(), known.end());
    for (const char* const one : {"/tmp/t/a", "/proc/1", "/dev/shm/a", "/var/tmp/a", "/home", "/etc/a"})
      compared.insert(one);
    for (const std::string& path : known) {
      if (!paths::at_or_beneath(path, "/w")) continue;
      for (const std::string& name : kNames) {
        compared.insert(path + "/" + name);
        compared.insert(path + "/" + name + "/hooks");
      }
    }
    std::erase_if(compared, [&](const std::string& path) { return walks_link(path); });
  }

  // An existing path, or (seldom) any.
  std::string path() const {
    return *rc::gen::inRange(0, 8) == 0 ? random_path(0, 3)
                                        : *rc::gen::elementOf(std::vector<std::string>(known.begin(), known.end()));
  }

  // Mostly one that exists, or else nothing but refusals would come out.
  std::string workspace() const {
    Names below;
    for (const std::string& path : known)
      if (paths::at_or_beneath(path, "/w") && paths::depth(path) < 4) below.push_back(path);
    return *rc::gen::inRange(0, 8) == 0 ? random_path(0, 2) : *rc::gen::elementOf(below);
  }

  FakeHost host;
  std::set<std::string> known;     // existing paths, symlinks too
  std::set<std::string> compared;  // paths where decisions are compared: canonical, existing or not

 private:
  bool walks_link(const std::string& path) {
    for (std::size_t at = 1; at != std::string::npos; at = path.find('/', at + 1))
      if (host.kind(path.substr(0, path.find('/', at))) == HostKind::kSymlink) return true;
    return host.kind(path) == HostKind::kSymlink;
  }

  void grow() {
    const std::string path = random_path(1, 4);
    if (host.kind(path) != HostKind::kMissing || walks_link(path)) return;
    for (std::string_view up = paths::parent(path); up.size() > 1; up = paths::parent(up))
      if (const HostKind kind = host.kind(std::string(up)); kind != HostKind::kMissing && kind != HostKind::kDirectory)
        return;
    const int what = *rc::gen::inRange(0, 8);
    if (what == 0)
      host.link(path, random_path(0, 3));
    else if (what == 1)
      host.link(path, "/home/mia");
    else if (what < 4)
      host.file(path);
    else
      host.dir(path);
    for (std::string_view up = path; up.size() > 1; up = paths::parent(up)) known.emplace(up);
  }
};

// Values of each kind, for settings of random documents.
inline const Names kVariables = {"A", "AB", "ABC", "PATH", "LANG", "LC_X"};
inline const Names kCommands = {"git", "make", "/usr/bin/git"};

using Keys = std::vector<Key>;
inline const Keys kPathKeys = {Key::kRead,    Key::kWrite,           Key::kHide,
                               Key::kProtect, Key::kWorkspaceAccess, Key::kWorkspace};
inline const Keys kAllKeys = {
    Key::kRead,          Key::kRead,    Key::kWrite,     Key::kWrite,         Key::kHide,
    Key::kHide,          Key::kProtect, Key::kWorkspace, Key::kHome,          Key::kWorkspaceAccess,
    Key::kTmp,           Key::kNetwork, Key::kExec,      Key::kEnv,           Key::kEnv,
    Key::kTimeout,       Key::kMemory,  Key::kProcesses, Key::kNewSession,    Key::kSharePid,
    Key::kOnUnavailable, Key::kObserve, Key::kIgnored,   Key::kAllowAbsolute, Key::kDebuggers};

inline Setting random_setting(const World& world, const Keys& keys) {
  const auto one_of = [](const Names& names) { return *rc::gen::elementOf(names); };
  const Key key = *rc::gen::elementOf(keys);
  Setting out{key, {}, "somewhere", true};
  switch (key) {
    case Key::kRead:
    case Key::kWrite: out.value = world.path(); break;
    case Key::kHide: out.value = *rc::gen::inRange(0, 2) == 0 ? one_of(kPatterns) : world.path(); break;
    case Key::kProtect: out.value = *rc::gen::inRange(0, 4) == 0 ? world.path() : one_of(kProtectNames); break;
    case Key::kWorkspace: out.value = world.workspace(); break;
    case Key::kWorkspaceAccess: out.value = one_of({"read", "write"}); break;
    case Key::kHome: out.value = one_of({"hidden", "host"}); break;
    case Key::kTmp: out.value = one_of({"private", "host"}); break;
    case Key::kNetwork: out.value = one_of({"none", "none", "full", "full", "a.org", "*.org:443", "b.org:22"}); break;
    case Key::kExec: out.value = one_of({"any", "none", "git", "make", "/usr/bin/git"}); break;
    case Key::kEnv: out.value = one_of(kVariables) + one_of({"", "", "=1", "=2"}); break;
    case Key::kTimeout: out.value = one_of({"1s", "5m", "2h"}); break;
    case Key::kMemory: out.value = one_of({"64K", "1G", "2G"}); break;
    case Key::kProcesses: out.value = one_of({"10", "300", "9000"}); break;
    case Key::kNewSession:
    case Key::kAllowAbsolute:
    case Key::kDebuggers:
    case Key::kSharePid: out.value = one_of({"true", "false"}); break;
    case Key::kIgnored: out.value = one_of({"deny", "ask", "allow"}); break;
    case Key::kObserve: out.value = one_of({"off", "fast", "full"}); break;
    default: out.value = one_of({"deny", "prompt", "warn"});
  }
  if (key == Key::kEnv && *rc::gen::inRange(0, 5) == 0) out.value = one_of({"A*", "AB*", "L*"});
  return out;
}

inline std::vector<Setting> random_settings(const World& world, int most, const Keys& keys = kAllKeys) {
  std::vector<Setting> out;
  for (int i = *rc::gen::inRange(0, most + 1); i > 0; --i) out.push_back(random_setting(world, keys));
  return out;
}

inline Origin random_origin() {
  const auto source = *rc::gen::element(Source::kUserFile, Source::kProjectFile, Source::kEnvironment, Source::kFlag);
  const bool file = source == Source::kUserFile || source == Source::kProjectFile;
  return {source, "somewhere", file ? *rc::gen::inRange(0, 3) : 0};
}

}  // namespace pinfold::policy
