// import.h: plugins that were made for others: unpacked MCPB bundles, and entries of a client's mcpServers.
// Invariant: what comes out asks for nothing; values of variables are never taken over, only their names are told.
// Not here: copying and writing (cli/plugin_import.cc).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_view.h"
#include "pinfold/policy.h"
#include "plugin/manifest.h"

namespace pinfold::plugin {

inline constexpr std::size_t kLongestImport = 16 * 1024 * 1024;

struct Imported {
  Manifest manifest;  // without permissions
  std::string from;   // what is copied: a folder, or one file
  bool one_file = false;
  std::string into;                    // below the plugin's folder; empty: the folder itself
  std::vector<std::string> variables;  // that it was started with: permissions to think about
  std::vector<std::string> notes;      // what was not taken over, and why
};

// `file`: its whole path. `name`: which entry of mcpServers; none: the only one, and the bundle's own name.
Result<Imported> read_import(std::string_view text, const std::string& file, const std::optional<std::string>& name,
                             const Caller& caller, HostView& host);

// "My Server!" → "my-server"; empty: nothing is left of it.
std::string id_from(std::string_view name);

}  // namespace pinfold::plugin
