// plugin_protocol_version.h: which era of the protocol a plugin speaks, remembered for exactly the files that spoke it.
// Invariant: what is not known for these files is not known; a record that cannot be read or written changes nothing
// but the time that asking takes. Not here: finding out (mcp/handshake.cc).
#pragma once

#include <optional>
#include <string>

#include "mcp/protocol_version.h"

namespace pinfold::cli {

// `directory`: the plugin's own among Pinfold's state.
std::optional<mcp::Era> remembered_era(const std::string& directory, const std::string& files_hash);
void remember_era(const std::string& directory, const std::string& files_hash, mcp::Era era);

}  // namespace pinfold::cli
