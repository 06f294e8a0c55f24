// plugin_start.h: from an installed plugin to a plan.
// Not here: checking the approval (plugin_run.cc).
#pragma once

#include "pinfold/plan.h"
#include "plugin/confine.h"

namespace pinfold::cli {

struct PluginStart {
  plugin::ConfinedPlugin confined;
  Plan plan;
};

// Creates the plugin's private home if it does not exist.
Result<PluginStart> plan_plugin(const plugin::InstalledPlugin& one, const Caller& caller, HostView& host,
                                const plugin::ClipboardPaths* clipboard = nullptr);

}  // namespace pinfold::cli
