// protocol_version.h: the two eras of the protocol, their versions, and what the answer to server/discover tells.
// Invariant: pure; a version that is not listed here is never spoken.
// Not here: sending, waiting (conversation.h).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "mcp/message.h"

namespace pinfold::mcp {

enum class Era { kLegacy, kModern };

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

// What a server said of itself, in either era.
struct ServerFacts {
  Era era = Era::kLegacy;
  std::string version;  // of the protocol
  std::string name, title, release;
  std::string instructions;
  Json capabilities = Json::object();

  bool offers(std::string_view feature) const { return member(capabilities, feature) != nullptr; }
  bool tells_changes_of(std::string_view feature) const;
};

struct SpeaksModern {
  ServerFacts facts;
};
struct SpeaksLegacy {};
struct SpeaksOther {
  std::string versions;  // in words
};
using Verdict = std::variant<SpeaksModern, SpeaksLegacy, SpeaksOther>;

Verdict judge_discovery(const Json& result);
Verdict judge_discovery_error(const RpcError& error);

// An error if the server's version is none of the legacy ones.
Result<ServerFacts> read_initialize_result(const Json& result);

}  // namespace pinfold::mcp
