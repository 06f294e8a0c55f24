// plugins.h: code that the commands about plugins share: the installed plugins and their approval status.
// Not here: the commands (plugin_*.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/parse.h"
#include "plugin/approvals.h"
#include "plugin/confine.h"
#include "plugin/folder.h"
#include "plugin/review.h"

namespace pinfold::cli {

struct PluginCatalog {
  Caller caller;
  std::string directory;
  plugin::Plugins plugins;
  Result<plugin::Approvals> approvals;  // an error: no plugin counts as approved
};

struct PluginInfo {
  const plugin::InstalledPlugin* plugin = nullptr;
  std::optional<plugin::Fingerprint> now;  // none: broken
  plugin::ApprovalStatus status;
  std::optional<Error> problem;  // why it is broken
};

// The directory of --plugins, or the user's own.
Result<std::string> plugins_directory_of(const CommandLine& parsed, const Caller& caller, HostView& host);
Result<PluginCatalog> open_plugins(const CommandLine& parsed, HostView& host);

// kAllFiles: hash every file of the plugin, for a decision. kChangedFiles: hash only files that changed since the last
// time, for each start.
enum class Hashing { kAllFiles, kChangedFiles };
// If an approved plugin asks for less now, updates its approval.
PluginInfo inspect_plugin(const plugin::InstalledPlugin& one, Hashing hashing, PluginCatalog& catalog, HostView& host);

// An error if the plugin may not run as it is now, with the command that approves it.
Result<void> check_allowed(const PluginInfo& info, const PluginCatalog& catalog);

Result<const plugin::InstalledPlugin*> find_plugin(const PluginCatalog& catalog, const std::string& id);

// The one plugin id that a command needs.
Result<std::string> required_id(const CommandLine& parsed);

plugin::Review review_of(const PluginInfo& info, const PluginCatalog& catalog, HostView& host);

}  // namespace pinfold::cli
