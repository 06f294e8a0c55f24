// protocol_version.cc: parses a server's description of itself.
#include "mcp/protocol_version.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace pinfold::mcp {
namespace {

constexpr std::size_t kLongestVersionName = 200;
constexpr std::size_t kLongestInstructions = std::size_t{64} << 10;

std::string bounded(const Json& from, std::string_view key, std::size_t longest) {
  return std::string(utf8_head(text_member(from, key), longest));
}

void read_info(ServerFacts& facts, const Json& info) {
  facts.name = bounded(info, "name", kLongestVersionName);
  facts.title = bounded(info, "title", kLongestVersionName);
  facts.release = bounded(info, "version", kLongestVersionName);
}

void read_rest(ServerFacts& facts, const Json& result) {
  facts.instructions = bounded(result, "instructions", kLongestInstructions);
  if (const Json* capabilities = member(result, "capabilities"); capabilities != nullptr && capabilities->is_object())
    facts.capabilities = *capabilities;
}

// None: not a list of strings.
std::optional<std::vector<std::string>> versions_in(const Json* list) {
  if (list == nullptr || !list->is_array() || list->empty() || list->size() > 100) return std::nullopt;
  std::vector<std::string> out;
  for (const Json& each : *list) {
    if (!each.is_string()) return std::nullopt;
    out.push_back(each.get<std::string>());
  }
  return out;
}

// Versions are dates, so they compare as text.
DiscoveryResult classify_versions(const std::vector<std::string>& versions) {
  std::string words;
  for (const std::string& each : versions) {
    if (each < kModernVersion) return LegacyServer{};
    words += (words.empty() ? "" : ", ") + text::shown(utf8_head(each, 40));
  }
  return UnsupportedServer{words};
}

}  // namespace

bool is_legacy_version(std::string_view version) {
  return std::find(kLegacyVersions.begin(), kLegacyVersions.end(), version) != kLegacyVersions.end();
}

bool ServerFacts::tells_changes_of(std::string_view feature) const {
  const Json* offered = member(capabilities, feature);
  const Json* changes = offered == nullptr ? nullptr : member(*offered, "listChanged");
  return changes != nullptr && changes->is_boolean() && changes->get<bool>();
}

DiscoveryResult classify_discovery(const Json& result) {
  const auto versions = versions_in(member(result, "supportedVersions"));
  if (!versions) return LegacyServer{};  // some legacy servers answer unknown methods with a result
  if (std::find(versions->begin(), versions->end(), kModernVersion) == versions->end())
    return classify_versions(*versions);
  ServerFacts facts;
  facts.family = ProtocolFamily::kModern;
  facts.version = kModernVersion;
  read_rest(facts, result);
  if (const Json* meta = member(result, "_meta"))
    if (const Json* info = member(*meta, meta::kServerInfo)) read_info(facts, *info);
  return ModernServer{std::move(facts)};
}

DiscoveryResult classify_discovery_error(const RpcError& error) {
  if (error.code != code::kNoSuchVersion) return LegacyServer{};
  const auto versions = versions_in(member(error.data, "supported"));
  if (!versions) return UnsupportedServer{"it names none"};
  if (std::find(versions->begin(), versions->end(), kModernVersion) == versions->end())
    return classify_versions(*versions);
  // It supports this version, but not server/discover. Its capabilities are unknown, so assume tools.
  ServerFacts facts;
  facts.family = ProtocolFamily::kModern;
  facts.version = kModernVersion;
  facts.capabilities = {{"tools", Json::object()}};
  return ModernServer{std::move(facts)};
}

Result<ServerFacts> read_initialize_result(const Json& result) {
  ServerFacts facts;
  facts.family = ProtocolFamily::kLegacy;
  facts.version = text_member(result, "protocolVersion");
  if (!is_legacy_version(facts.version)) {
    return fail(ErrorKind::kUnavailable, "the server wants to use version '" +
                                             text::shown(utf8_head(facts.version, 40)) +
                                             "' of the protocol, which is unknown");
  }
  if (const Json* info = member(result, "serverInfo")) read_info(facts, *info);
  read_rest(facts, result);
  return facts;
}

}  // namespace pinfold::mcp
