// plugin_start.h: from an installed plugin to a plan.
// Not here: checking the approval (plugin_run.cc).
#pragma once

#include <memory>

#include "pinfold/plan.h"
#include "plugin/confine.h"
#include "sys/mask_directory.h"

namespace pinfold::cli {

struct PluginStart {
  plugin::ConfinedPlugin confined;
  Plan plan;
  std::shared_ptr<sys::MaskDirectories> temporary;  // removed after the run
};

// Creates the plugin's private home if it does not exist.
Result<PluginStart> plan_plugin(const plugin::InstalledPlugin& one, const Caller& caller, HostView& host,
                                const plugin::ClipboardPaths* clipboard = nullptr);

}  // namespace pinfold::cli
