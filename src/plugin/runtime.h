// runtime.h: finds the interpreter of a plugin, and the host paths that the interpreter needs to read.
// Invariant: executes nothing; a plugin's own files can choose among the user's interpreters, but never grant a path.
// Not here: the plugin's own permissions (confine.h).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "plugin/manifest.h"

namespace pinfold::plugin {

struct Launch {
  std::vector<std::string> argv;   // the interpreter (not for a binary), the entry, the arguments
  std::vector<std::string> reads;  // paths that must exist: the interpreter itself
  std::vector<std::string> reads_if_there;
  std::string interpreter{};  // canonical; empty for a binary
};

// `folder`: the plugin's folder, canonical. `home`: the value of "${HOME}", and the base of the version managers.
Result<Launch> find_runtime(const Manifest& manifest, const std::string& folder, const std::string& home,
                            HostView& host);

// The first executable of this name on PATH, links not resolved; empty: none.
std::string find_on_path(const std::string& name, HostView& host);

}  // namespace pinfold::plugin
