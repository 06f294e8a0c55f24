// plugin_start.h: from an installed plugin to a plan.
// Not here: whether the user has allowed it (plugin_run.cc).
#pragma once

#include "pinfold/plan.h"
#include "plugin/confine.h"

namespace pinfold::cli {

struct PluginStart {
  plugin::Confined confined;
  Plan plan;
};

// Makes the plugin's private home, if it is not there.
Result<PluginStart> plan_plugin(const plugin::Installed& one, const Caller& caller, HostView& host,
                                const plugin::ClipboardPlace* clipboard = nullptr);

}  // namespace pinfold::cli
