// folder.cc: reads a directory of plugins.
// Invariant: the folder and the manifest belong to the caller or to root and are not writable by group or others.
// Not here: the manifest itself (manifest.cc).
#include "plugin/folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "plugin/files_hash.h"
#include "plugin/known_files.h"
#include "settings/files.h"

namespace pinfold::plugin {
namespace {

using text::shell_word;
using text::shown;

constexpr std::size_t kMostPlugins = 1000;

Result<void> check_owner(std::uint32_t uid, std::uint32_t mode, const std::string& path, HostView& host) {
  if (uid != host.identity().uid && uid != 0)
    return fail(ErrorKind::kRefused, shown(path) + " belongs to another user (uid " + std::to_string(uid) + ")",
                "look at it, then make a copy of your own");
  if ((mode & 0022U) != 0)
    return fail(ErrorKind::kRefused, shown(path) + " can be written by others",
                "look at it, then: chmod go-w " + shell_word(path));
  return {};
}

// The entry file must be inside of the folder, after links are resolved.
Result<void> check_entry(const Manifest& manifest, const std::string& folder, HostView& host) {
  const std::string path = paths::join(folder, manifest.entry);
  auto info = host.resolve(path);
  if (!info)
    return fail(ErrorKind::kInvalid, "its entry file " + shown(manifest.entry) + " does not exist",
                "build or install it first");
  if (!paths::beneath(info->canonical, folder))
    return fail(ErrorKind::kRefused, "its entry " + shown(manifest.entry) + " is a link that leads out of its folder");
  if (info->kind != HostKind::kFile)
    return fail(ErrorKind::kInvalid, "its entry " + shown(manifest.entry) + " is not a file");
  if (manifest.runtime == Runtime::kBinary && !host.executable(path))
    return fail(ErrorKind::kInvalid, "its entry " + shown(manifest.entry) + " is not executable",
                "chmod +x " + shell_word(path));
  return {};
}

Result<void> look_at(InstalledPlugin& plugin, const std::string& path, HostView& host) {
  PF_TRY(info, host.resolve(path));
  if (info.kind != HostKind::kDirectory) return fail(ErrorKind::kInvalid, shown(path) + " is not a folder");
  plugin.folder = std::move(info.canonical);
  struct stat status {};
  if (::stat(plugin.folder.c_str(), &status) == 0)
    PF_CHECK(check_owner(status.st_uid, status.st_mode, plugin.folder, host));
  auto file = host.read_owned(plugin.folder, kManifestFile, Links::kStayInside, kLongestManifest);
  if (!file && file.error().kind() == ErrorKind::kNotFound) {
    const bool bundle = host.kind(paths::join(plugin.folder, "manifest.json")) == HostKind::kFile;
    return fail(ErrorKind::kInvalid, shown(plugin.folder) + " holds no " + kManifestFile,
                bundle ? "it looks like an MCPB bundle: move it elsewhere, then pinfold plugin import DIR/manifest.json"
                       : "see docs/guides/plugins.md");
  }
  if (!file) return tl::unexpected<Error>(std::move(file).error());
  PF_CHECK(check_owner(file->uid, file->mode, plugin.manifest_file(), host));
  PF_TRY(manifest, read_manifest(file->text, plugin.manifest_file()));
  plugin.manifest = std::move(manifest);
  return check_entry(*plugin.manifest, plugin.folder, host);
}

// Both are refused: a plugin must not get another plugin's approval by using its id.
void refuse_twins(std::vector<InstalledPlugin>& all) {
  std::map<std::string, std::vector<InstalledPlugin*>> by_id;
  for (InstalledPlugin& one : all)
    if (one.manifest) by_id[one.manifest->id].push_back(&one);
  for (auto& [id, same] : by_id)
    for (InstalledPlugin* one : same) {
      if (same.size() < 2) break;
      const InstalledPlugin* other = same[0] == one ? same[1] : same[0];
      one->problem =
          Error(ErrorKind::kRefused, "the id " + id + " is also that of " + shown(other->folder), "remove one of them");
    }
}

}  // namespace

const InstalledPlugin* Plugins::find(const std::string& id) const {
  for (const InstalledPlugin& one : all)
    if (one.manifest && one.manifest->id == id) return &one;
  for (const InstalledPlugin& one : all)
    if (one.name == id) return &one;
  return nullptr;
}

std::string plugins_directory(const Caller& caller, HostView& host) {
  const std::string settings = settings::config_directory(caller, host);
  return settings.empty() ? settings : paths::join(settings, "plugins");
}

Plugins find_plugins(const std::string& directory, HostView& host) {
  Plugins out;
  if (directory.empty() || host.kind(directory) == HostKind::kMissing) return out;
  auto listing = host.list_within(directory, {kMostPlugins, UINT64_MAX});
  if (!listing) {
    out.problems.push_back(std::move(listing).error().within("looking for plugins"));
    return out;
  }
  std::sort(listing->entries.begin(), listing->entries.end(),
            [](const HostEntry& a, const HostEntry& b) { return a.name < b.name; });
  if (!listing->complete || listing->entries.size() > kMostPlugins) {
    out.problems.emplace_back(
        ErrorKind::kInvalid,
        shown(directory) + " holds more than " + std::to_string(kMostPlugins) + " entries; the rest is not looked at");
    listing->entries.resize(std::min(listing->entries.size(), kMostPlugins));
  }
  for (const HostEntry& entry : listing->entries) {
    if (entry.name.starts_with('.')) continue;
    if (entry.kind != HostKind::kDirectory && entry.kind != HostKind::kSymlink) continue;
    InstalledPlugin plugin;
    plugin.name = entry.name;
    plugin.folder = paths::join(directory, entry.name);
    if (auto looked = look_at(plugin, plugin.folder, host); !looked) plugin.problem = std::move(looked).error();
    out.all.push_back(std::move(plugin));
  }
  refuse_twins(out.all);
  return out;
}

Result<Fingerprint> fingerprint_of(const InstalledPlugin& plugin) {
  PF_TRY(files, files_hash(plugin.folder, start_of(*plugin.manifest)), "reading its files");
  return Fingerprint{permissions_hash(plugin.manifest->permissions), std::move(files)};
}

Result<Fingerprint> quick_fingerprint_of(const InstalledPlugin& plugin, const std::string& state) {
  PF_TRY(files, known_files_hash(plugin.folder, start_of(*plugin.manifest), state), "reading its files");
  return Fingerprint{permissions_hash(plugin.manifest->permissions), std::move(files)};
}

}  // namespace pinfold::plugin
