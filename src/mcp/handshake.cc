// handshake.cc: finds the protocol version that the server uses.
// Invariant: server/discover is the first request unless the server is known to be a legacy one, because a modern
// server chooses the family by the first message; initialize is never cancelled. Not here: later messages
// (conversation.cc).
#include <utility>

#include "mcp/conversation.h"

namespace pinfold::mcp {

Json Conversation::client_info() const {
  return {{"name", settings_.client_name}, {"version", settings_.client_version}};
}

Json Conversation::client_capabilities() const {
  Json out = settings_.capabilities;
  if (settings_.roots && facts_.family == ProtocolFamily::kLegacy) out["roots"] = Json::object();
  return out;
}

void Conversation::begin(Time now) {
  now_ = now;
  if (settings_.known_family == ProtocolFamily::kLegacy)
    initialize();
  else
    probe();
}

void Conversation::probe() {
  phase_ = Phase::kProbing;
  const milliseconds timeout = settings_.durations.probe;
  Json params = {{"_meta",
                  {{meta::kVersion, kModernVersion},
                   {meta::kClientInfo, client_info()},
                   {meta::kCapabilities, settings_.capabilities}}}};
  const auto take_answer = [this](const Answer& answer) {
    if (phase_ != Phase::kProbing) return;  // the server has exited
    if (answer) return choose_protocol(classify_discovery(*answer));
    if (answer.error().kind == Failure::Kind::kAnswered)
      return choose_protocol(classify_discovery_error(answer.error().error));
    choose_protocol(LegacyServer{});
  };
  probe_id_ = send_request({"server/discover", {timeout, timeout}, take_answer, {}}, std::move(params));
}

void Conversation::choose_protocol(const DiscoveryResult& discovery) {
  if (const auto* modern = std::get_if<ModernServer>(&discovery)) return become_ready(modern->facts);
  if (std::holds_alternative<LegacyServer>(discovery)) return initialize();
  give_up({ErrorKind::kUnavailable, "the server supports no known version of the protocol, only: " +
                                        std::get<UnsupportedServer>(discovery).versions});
}

void Conversation::initialize() {
  phase_ = Phase::kInitializing;
  facts_.family = ProtocolFamily::kLegacy;
  const milliseconds timeout = settings_.durations.handshake;
  Json params = {
      {"protocolVersion", kLegacyVersions[0]}, {"capabilities", client_capabilities()}, {"clientInfo", client_info()}};
  initialize_id_ = send_request(
      {"initialize", {timeout, timeout}, [this](Answer answer) { finish_initialize(std::move(answer)); }, {}},
      std::move(params));
}

void Conversation::finish_initialize(Answer answer) {
  if (phase_ != Phase::kInitializing) return;
  if (!answer) return give_up({ErrorKind::kSystem, "the server rejected initialize: " + answer.error().story});
  auto facts = read_initialize_result(*answer);
  if (!facts) return give_up(std::move(facts).error());
  send_notification("notifications/initialized", Json::object());
  become_ready(std::move(*facts));
}

void Conversation::become_ready(ServerFacts facts) {
  phase_ = Phase::kReady;
  facts_ = std::move(facts);
  events_.ready(facts_);
  for (QueuedRequest& each : std::exchange(queued_, {})) {
    if (phase_ != Phase::kReady) return;
    const std::string method = pending_.method_of(each.id);
    if (method.empty()) continue;  // cancelled or overdue in the meantime
    if (auto sent = send_line(each.id, method, std::move(each.params)); !sent)
      if (auto pending = pending_.take(each.id)) pending->answer(tl::unexpected<Failure>(std::move(sent).error()));
  }
}

void Conversation::give_up(Error error) {
  close(error.text());
  events_.failed(std::move(error));
}

}  // namespace pinfold::mcp
