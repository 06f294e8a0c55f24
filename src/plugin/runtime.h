// runtime.h: finds what runs a plugin, and what of the host that needs to read.
// Invariant: nothing is executed to find out; what a plugin's own files say may choose among the user's interpreters,
// and never shows a path. Not here: what the plugin itself asks for (confine.h).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "plugin/manifest.h"

namespace pinfold::plugin {

struct Launch {
  std::vector<std::string> argv;   // the interpreter, if there is one, the entry, and what follows it
  std::vector<std::string> reads;  // what must be there: the interpreter itself
  std::vector<std::string> reads_if_there;
  std::string interpreter{};  // canonical; empty for a binary
};

// `folder`: the plugin's own, canonical. `home`: for what "${HOME}" means and where version managers keep theirs.
Result<Launch> find_runtime(const Manifest& manifest, const std::string& folder, const std::string& home,
                            HostView& host);

// The first executable of this name on PATH, as it is found there; empty: there is none.
std::string find_on_path(const std::string& name, HostView& host);

}  // namespace pinfold::plugin
