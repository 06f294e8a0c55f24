// import.h: reads servers made for other clients: unpacked MCPB bundles, and entries of a client's mcpServers.
// Invariant: an imported manifest requests no permissions; values of variables are never imported, only their names.
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

struct ImportResult {
  Manifest manifest;  // without permissions
  std::string from;   // the source of the copy: a folder, or one file
  bool one_file = false;
  std::string into;                    // below the plugin's folder; empty: the folder itself
  std::vector<std::string> variables;  // names of variables that the other client set: the user may want to permit them
  std::vector<std::string> notes;      // the parts that were not imported, and why
};

// `file`: its absolute path. `name`: the entry of mcpServers; none: the only entry, or the bundle.
Result<ImportResult> read_import(std::string_view text, const std::string& file, const std::optional<std::string>& name,
                                 const Caller& caller, HostView& host);

// "My Server!" → "my-server"; empty: no valid character.
std::string id_from(std::string_view name);

}  // namespace pinfold::plugin
