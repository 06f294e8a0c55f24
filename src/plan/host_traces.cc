// host_traces.cc: files by which a program could tell which host it runs on, and which networks that host is in.
// Invariant: a path that the user's own rules name is left as they have it. Not here: names of hosts (names.cc).
#include <array>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/paths.h"
#include "plan/draft.h"
#include "policy/resolver.h"

namespace pinfold::plan {
namespace {

constexpr std::size_t kMostInterfaces =
    64;  // containers and virtual machines have one each, below /sys/devices/virtual

bool is_asked_for(const Draft& draft, const std::string& path) {
  const policy::ScopeRule* own = draft.scope.at(path);
  return own != nullptr && own->origin.source != Source::kPreset;
}

void hide(Draft& draft, const std::string& directory) {
  if (!draft.visible(directory) || is_asked_for(draft, directory)) return;
  if (draft.host.kind(directory) != HostKind::kDirectory) return;
  draft.paths.push_back(Draft::step(HidePath{directory, EntryKind::kDirectory, {}}, Need::kRequired, draft.preset));
}

// sysfs shows the interfaces of the network namespace in which it was mounted, which is the host's: by their class, and
// where their devices are.
void hide_interfaces(Draft& draft) {
  constexpr const char* kClass = "/sys/class/net";
  constexpr const char* kVirtual = "/sys/devices/virtual/net";
  if (!draft.visible(kClass) || is_asked_for(draft, kClass)) return;
  const auto interfaces = draft.host.list_within(kClass, ListBounds{kMostInterfaces});
  if (!interfaces) return;
  std::set<std::string> directories = {kClass, kVirtual};
  for (const HostEntry& each : interfaces->entries) {
    if (each.kind != HostKind::kSymlink) continue;
    const auto device = policy::canonical_path(std::string(kClass) + "/" + each.name, draft.host);
    if (device && paths::basename(paths::parent(*device)) == "net")
      directories.insert(std::string(paths::parent(*device)));
  }
  for (const std::string& directory : directories) hide(draft, directory);
}

// 32 digits, the same for every run in a workspace and on every host: FNV-1a, twice, with different beginnings.
std::string made_up_id(std::string_view workspace) {
  std::string out;
  for (std::uint64_t hash : {0xcbf29ce484222325ULL, 0x84222325cbf29ce4ULL}) {
    for (const char byte : workspace) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15U];
  }
  return out + "\n";
}

}  // namespace

void add_host_traces(Draft& draft) {
  if (draft.scope.policy().home == HomeMode::kHost) return;  // the host as it is was asked for
  if (draft.scope.policy().network.mode != NetworkMode::kFull) hide_interfaces(draft);
  // Serial numbers of the machine, readable for root.
  if (draft.identity.uid == 0) hide(draft, "/sys/devices/virtual/dmi");
  const auto& workspaces = draft.scope.workspaces();
  const std::string& project = workspaces.empty() ? draft.working_dir : workspaces.front();
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    if (draft.host.kind(path) != HostKind::kFile || !draft.visible(path) || is_asked_for(draft, path)) continue;
    make_file(draft, path, made_up_id(project), draft.preset);
  }
}

}  // namespace pinfold::plan
