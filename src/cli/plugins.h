// plugins.h: what the commands about plugins share: which there are, and how each stands.
// Not here: what each command does with them (plugin_*.cc).
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

struct PluginDesk {
  Caller caller;
  std::string directory;
  plugin::Plugins plugins;
  Result<plugin::Approvals> approvals;  // an error: nothing counts as approved
};

struct SeenPlugin {
  const plugin::Installed* plugin = nullptr;
  std::optional<plugin::Fingerprint> now;  // none: broken
  plugin::Standing standing;
  std::optional<Error> problem;  // why it is broken
};

// Where --plugins says, or the user's own.
Result<std::string> plugins_of(const Parsed& parsed, const Caller& caller, HostView& host);
Result<PluginDesk> open_plugins(const Parsed& parsed, HostView& host);

// kRead: all of the plugin's files are read, as for a decision; kKnown: those that have not changed since are not read
// again, as for each start.
enum class Files { kRead, kKnown };
// What is approved and asks for less now is recorded as such.
SeenPlugin look_at(const plugin::Installed& one, Files files, PluginDesk& desk, HostView& host);

// An error: it may not run as it is now, and what to do.
Result<void> check_allowed(const SeenPlugin& seen, const PluginDesk& desk);

Result<const plugin::Installed*> find_plugin(const PluginDesk& desk, const std::string& id);

// The one id that a command needs.
Result<std::string> one_id(const Parsed& parsed);

plugin::Review review_of(const SeenPlugin& seen, const PluginDesk& desk, HostView& host);

}  // namespace pinfold::cli
