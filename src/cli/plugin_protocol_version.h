// plugin_protocol_version.h: stores the protocol version that a plugin uses, together with the hash of its files.
// Invariant: a record for other files is ignored; a record that cannot be read or written costs only a longer
// handshake. Not here: finding the version (mcp/handshake.cc).
#pragma once

#include <optional>
#include <string>

#include "mcp/protocol_version.h"

namespace pinfold::cli {

// `directory`: the plugin's directory in Pinfold's state.
std::optional<mcp::ProtocolFamily> stored_protocol_version(const std::string& directory, const std::string& files_hash);
void store_protocol_version(const std::string& directory, const std::string& files_hash, mcp::ProtocolFamily family);

}  // namespace pinfold::cli
