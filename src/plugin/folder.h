// folder.h: the plugins there are: one folder each, below ~/.config/pinfold/plugins or where the user says.
// Invariant: a bad plugin never keeps another from being found; none at all is fine; two of one id are both refused.
// Not here: how they stand with the user (standing.h), starting them (confine.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "base/paths.h"
#include "pinfold/policy.h"
#include "plugin/manifest.h"
#include "plugin/standing.h"

namespace pinfold::plugin {

struct Installed {
  std::string name;                  // of the folder, as it lies among the others
  std::string folder;                // canonical
  std::optional<Manifest> manifest;  // none: see problem
  std::optional<Error> problem;      // why it cannot be used; the manifest may be there all the same
  std::string manifest_file() const { return paths::join(folder, kManifestFile); }
};

struct Plugins {
  std::vector<Installed> all;   // by the names of their folders
  std::vector<Error> problems;  // about the directories themselves

  // By id, else by the name of its folder; null: there is none.
  const Installed* find(const std::string& id) const;
};

// ~/.config/pinfold/plugins; empty without a home directory.
std::string plugins_directory(const Caller& caller, HostView& host);

// A directory that is not there holds none.
Plugins find_plugins(const std::string& directory, HostView& host);

// Reads every file of the plugin.
Result<Fingerprint> fingerprint_of(const Installed& plugin);
// The same, without reading files again that have not changed since; see known_files.h.
Result<Fingerprint> quick_fingerprint_of(const Installed& plugin, const std::string& state);

}  // namespace pinfold::plugin
