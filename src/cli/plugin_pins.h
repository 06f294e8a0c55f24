// plugin_pins.h: are a plugin's tools still what they were when it was allowed?
// Invariant: the first contact after an approval pins every tool; from then on a new or changed one is told, and a file
// of pins that is missing, broken or not the approval's own is an error. Not here: what a pin is (mcp/pin.h).
#pragma once

#include <string>
#include <vector>

#include "cli/plugins.h"
#include "mcp/pin.h"

namespace pinfold::cli {

// What changed. The hashes are in the approvals; the texts, to show a difference by, in plugin-tools/ID.json beside
// them.
Result<std::vector<mcp::PinChange>> compare_with_pinned(const std::string& id, const mcp::Pins& now,
                                                        const PluginDesk& desk, HostView& host);

}  // namespace pinfold::cli
