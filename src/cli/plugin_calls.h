// plugin_calls.h: `pinfold plugin call ID --calls`: many calls over one start, one line of JSON for each.
// Not here: one call (plugin_tools.cc).
#pragma once

#include "cli/plugin_client.h"

namespace pinfold::cli {

// Reads {"tool": …, "arguments": {…}, "id": …} from standard input; prints {"id": …, "result": {…}} or {"id": …,
// "error":
// {"reason": …, "fix": …}}. 0: each had a result; 1: not each; 125: the plugin is gone for good.
int plugin_calls(PluginTalk& talk);

}  // namespace pinfold::cli
