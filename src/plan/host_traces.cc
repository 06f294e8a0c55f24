// host_traces.cc: files by which a program could tell which host it runs on, and which networks that host is in.
// Invariant: a path that the user's own rules name is left as they have it. Not here: names of hosts (names.cc).
#include <array>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/paths.h"
#include "pinfold/coverage.h"
#include "plan/draft.h"
#include "policy/resolver.h"

namespace pinfold::plan {
namespace {

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
  // All of them: one that is left out would keep its directory below /sys/devices, with its MAC address.
  const auto interfaces = draft.host.list(kClass);
  std::set<std::string> directories = {kClass, kVirtual};
  if (!interfaces && draft.host.kind(kClass) == HostKind::kDirectory)
    draft.gaps.push_back({step_name::kHidden, Need::kBestEffort,
                          "network interfaces below /sys/devices can be read: " + interfaces.error().text()});
  for (const HostEntry& each : interfaces.value_or(std::vector<HostEntry>())) {
    if (each.kind != HostKind::kSymlink) continue;
    const std::string link = std::string(kClass) + "/" + each.name;
    // Containers and virtual machines have one each, thousands on some hosts.
    const auto target = draft.host.read_link(link);
    if (target && target->starts_with("../../devices/virtual/net/")) continue;
    const auto device = policy::canonical_path(link, draft.host);
    if (device && paths::basename(paths::parent(*device)) == "net")
      directories.insert(std::string(paths::parent(*device)));
  }
  for (const std::string& directory : directories) hide(draft, directory);
}

// 32 digits, the same for every run in a workspace and on every host: FNV-1a, twice, with different beginnings.
// Without the end of the line.
std::string made_up_id(std::string_view workspace) {
  std::string out;
  for (std::uint64_t hash : {0xcbf29ce484222325ULL, 0x84222325cbf29ce4ULL}) {
    for (const char byte : workspace) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15U];
  }
  return out;
}

// As the kernel writes it: a random UUID has 4 and one of 8, 9, a, b in these places.
std::string made_up_uuid(std::string_view workspace) {
  std::string id = made_up_id(std::string(workspace) + "/boot");
  id[12] = '4';
  id[16] = '8';
  for (const std::size_t at : {20U, 16U, 12U, 8U}) id.insert(at, "-");
  return id;
}

}  // namespace

void add_host_traces(Draft& draft) {
  if (draft.scope.policy().home == HomeMode::kHost) return;  // the user chose the host's own home
  if (draft.scope.policy().network.mode != NetworkMode::kFull) hide_interfaces(draft);
  // Serial numbers of the machine, readable for root.
  if (draft.identity.uid == 0) hide(draft, "/sys/devices/virtual/dmi");
  const auto& workspaces = draft.scope.workspaces();
  const std::string& project = workspaces.empty() ? draft.working_dir : workspaces.front();
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    if (draft.host.kind(path) != HostKind::kFile || !draft.visible(path) || is_asked_for(draft, path)) continue;
    make_file(draft, path, made_up_id(project) + "\n", draft.preset);
  }
  // In the private /proc, which has the host's own.
  constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";
  if (draft.host.kind(kBootId) == HostKind::kFile && !is_asked_for(draft, kBootId))
    make_file(draft, kBootId, made_up_uuid(project) + "\n", draft.preset);
}

}  // namespace pinfold::plan
