// protocol_version.h: the two protocol families, their versions, and the parsing of the answer to server/discover.
// Invariant: pure; the client never uses a version that is not listed here.
// Not here: sending, waiting (conversation.h).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "mcp/message.h"

namespace pinfold::mcp {

enum class ProtocolFamily { kLegacy, kModern };

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                                    "2024-11-05"};

namespace meta {
inline constexpr const char* kVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr const char* kCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kSubscription = "io.modelcontextprotocol/subscriptionId";
}  // namespace meta

bool is_legacy_version(std::string_view version);

// A server's description of itself, in either family.
struct ServerFacts {
  ProtocolFamily family = ProtocolFamily::kLegacy;
  std::string version;  // of the protocol
  std::string name, title, release;
  std::string instructions;
  Json capabilities = Json::object();

  bool offers(std::string_view feature) const { return member(capabilities, feature) != nullptr; }
  bool tells_changes_of(std::string_view feature) const;
};

struct ModernServer {
  ServerFacts facts;
};
struct LegacyServer {};
struct UnsupportedServer {
  std::string versions;  // as text, for the error
};
using DiscoveryResult = std::variant<ModernServer, LegacyServer, UnsupportedServer>;

DiscoveryResult classify_discovery(const Json& result);
DiscoveryResult classify_discovery_error(const RpcError& error);

// An error if the server's version is not a legacy version.
Result<ServerFacts> read_initialize_result(const Json& result);

}  // namespace pinfold::mcp
