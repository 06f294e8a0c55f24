// plugin_pins.h: compares a plugin's tools with those of its approval.
// Invariant: the first start after an approval pins every tool; later starts report new and changed tools; a file of
// pins that is missing, broken or does not match the approval is an error. Not here: pins (mcp/pin.h).
#pragma once

#include <string>
#include <vector>

#include "cli/plugins.h"
#include "mcp/pin.h"

namespace pinfold::cli {

// The changed tools. The hashes are in the approvals; the definitions, for the difference, in plugin-tools/ID.json
// beside them.
Result<std::vector<mcp::PinChange>> compare_with_pinned(const std::string& id, const mcp::Pins& now,
                                                        const PluginCatalog& catalog, HostView& host);

}  // namespace pinfold::cli
