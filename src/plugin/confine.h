// confine.h: turns the permissions of a plugin into a policy that grants nothing else.
// Invariant: every rule names the line of the manifest that requests it; a rule that the host cannot enforce is
// refused, not warned about; the plugin's folder and Pinfold's own files are not writable. Not here: planning, running
// (cli).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "pinfold/policy.h"
#include "plugin/folder.h"
#include "plugin/runtime.h"

namespace pinfold::plugin {

struct ConfinedPlugin {
  Policy policy;
  std::vector<std::string> argv;
  std::string working_dir;   // the plugin's folder
  std::string private_home;  // create it before the start; writable, kept between runs
  std::string interpreter;   // canonical; empty for a binary
};

// The path of the plugin's own HOME; empty if the home directory is unknown.
std::string private_home_of(const std::string& id, const Caller& caller, HostView& host);

// The clipboard's paths in this run, for a plugin that requests the clipboard.
struct ClipboardPaths {
  std::string directory;  // holds the socket and the clipboard commands
  std::string socket;
  std::string program;  // the target of the commands, which are links
};

// The plugin must have a manifest. The policy contains the values of secrets: do not print it. `clipboard`: null until
// the clipboard directory exists.
Result<ConfinedPlugin> confine(const InstalledPlugin& plugin, const Caller& caller, HostView& host,
                               const ClipboardPaths* clipboard = nullptr);

}  // namespace pinfold::plugin
