// folder.h: finds the plugins: one folder each, below ~/.config/pinfold/plugins or the directory of --plugins.
// Invariant: an invalid plugin does not hide another; an empty list is no error; two plugins with one id are both
// refused. Not here: their approval status (approval_status.h), starting them (confine.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "base/paths.h"
#include "pinfold/policy.h"
#include "plugin/approval_status.h"
#include "plugin/manifest.h"

namespace pinfold::plugin {

struct InstalledPlugin {
  std::string name;                  // of the folder in the plugins directory
  std::string folder;                // canonical
  std::optional<Manifest> manifest;  // none: see `problem`
  std::optional<Error> problem;      // why it cannot be used; the manifest may be present even then
  std::string manifest_file() const { return paths::join(folder, kManifestFile); }
};

struct Plugins {
  std::vector<InstalledPlugin> all;  // by the names of their folders
  std::vector<Error> problems;       // about the directories themselves

  // By id, else by the name of its folder; null: not found.
  const InstalledPlugin* find(const std::string& id) const;
};

// ~/.config/pinfold/plugins; empty without a home directory.
std::string plugins_directory(const Caller& caller, HostView& host);

// A missing directory gives an empty list.
Plugins find_plugins(const std::string& directory, HostView& host);

// Reads every file of the plugin.
Result<Fingerprint> fingerprint_of(const InstalledPlugin& plugin);
// The same, but unchanged files are not read again; see known_files.h.
Result<Fingerprint> quick_fingerprint_of(const InstalledPlugin& plugin, const std::string& state);

}  // namespace pinfold::plugin
