// plugin_calls.h: `pinfold plugin call ID --calls`: many calls over one start, one line of JSON for each.
// Not here: one call (plugin_tools.cc).
#pragma once

#include "cli/plugin_client.h"

namespace pinfold::cli {

// Reads {"tool": …, "arguments": {…}, "id": …} from standard input; prints {"id": …, "result": {…}} or {"id": …,
// "error": {"reason": …, "fix": …}}. Returns 0 if each call had a result, 1 if not, 125 if the plugin failed for good.
int plugin_calls(PluginClient& client);

}  // namespace pinfold::cli
