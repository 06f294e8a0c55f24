// confine.h: what a plugin asks for becomes a policy, and nothing more than that.
// Invariant: every rule names the line of the manifest that asked for it; what the host cannot enforce is refused, not
// warned about; the plugin's folder and Pinfold's own files cannot be written. Not here: planning and running (cli).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "pinfold/policy.h"
#include "plugin/folder.h"
#include "plugin/runtime.h"

namespace pinfold::plugin {

struct Confined {
  Policy policy;
  std::vector<std::string> argv;
  std::string working_dir;   // the plugin's folder
  std::string private_home;  // has to be made before the start; writable, kept for the next time
  std::string interpreter;   // canonical; empty for a binary
};

// Where the plugin's own HOME is; empty without a home directory.
std::string private_home_of(const std::string& id, const Caller& caller, HostView& host);

// Where the clipboard is in this run, for a plugin that asks for it.
struct ClipboardPlace {
  std::string directory;  // the socket and commands that use it
  std::string socket;
  std::string program;  // what the commands are links to
};

// With a manifest. Values of secrets are in the policy: it must not be printed. `clipboard`: none before it is made.
Result<Confined> confine(const Installed& plugin, const Caller& caller, HostView& host,
                         const ClipboardPlace* clipboard = nullptr);

}  // namespace pinfold::plugin
