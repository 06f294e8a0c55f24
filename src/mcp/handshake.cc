// handshake.cc: what does this server speak? The beginning of a conversation.
// Invariant: server/discover comes first unless the server is known to be of the legacy era, for a modern server takes
// its first message as the era; initialize is never cancelled. Not here: what comes after (conversation.cc).
#include <utility>

#include "mcp/conversation.h"

namespace pinfold::mcp {

Json Conversation::client_info() const {
  return {{"name", settings_.client_name}, {"version", settings_.client_version}};
}

Json Conversation::client_capabilities() const {
  Json out = settings_.capabilities;
  if (settings_.roots && facts_.era == Era::kLegacy) out["roots"] = Json::object();
  return out;
}

void Conversation::begin(Time now) {
  now_ = now;
  if (settings_.known_era == Era::kLegacy)
    initialize();
  else
    probe();
}

void Conversation::probe() {
  phase_ = Phase::kProbing;
  const milliseconds patience = settings_.durations.probe;
  Json params = {{"_meta",
                  {{meta::kVersion, kModernVersion},
                   {meta::kClientInfo, client_info()},
                   {meta::kCapabilities, settings_.capabilities}}}};
  const auto take_answer = [this](const Answer& answer) {
    if (phase_ != Phase::kProbing) return;  // the server is gone
    if (answer) return judge(judge_discovery(*answer));
    if (answer.error().kind == Failure::Kind::kAnswered) return judge(judge_discovery_error(answer.error().error));
    judge(SpeaksLegacy{});
  };
  probe_id_ = send_request({"server/discover", {patience, patience}, take_answer, {}}, std::move(params));
}

void Conversation::judge(const Verdict& verdict) {
  if (const auto* modern = std::get_if<SpeaksModern>(&verdict)) return become_ready(modern->facts);
  if (std::holds_alternative<SpeaksLegacy>(verdict)) return initialize();
  give_up({ErrorKind::kUnavailable, "the server speaks no version of the protocol that is known here, only: " +
                                        std::get<SpeaksOther>(verdict).versions});
}

void Conversation::initialize() {
  phase_ = Phase::kInitializing;
  facts_.era = Era::kLegacy;
  const milliseconds patience = settings_.durations.handshake;
  Json params = {
      {"protocolVersion", kLegacyVersions[0]}, {"capabilities", client_capabilities()}, {"clientInfo", client_info()}};
  initialize_id_ = send_request(
      {"initialize", {patience, patience}, [this](Answer answer) { finish_initialize(std::move(answer)); }, {}},
      std::move(params));
}

void Conversation::finish_initialize(Answer answer) {
  if (phase_ != Phase::kInitializing) return;
  if (!answer) return give_up({ErrorKind::kSystem, "the server did not take initialize: " + answer.error().story});
  auto facts = read_initialize_result(*answer);
  if (!facts) return give_up(std::move(facts).error());
  tell("notifications/initialized", Json::object());
  become_ready(std::move(*facts));
}

void Conversation::become_ready(ServerFacts facts) {
  phase_ = Phase::kReady;
  facts_ = std::move(facts);
  events_.ready(facts_);
  for (Unsent& each : std::exchange(unsent_, {})) {
    if (phase_ != Phase::kReady) return;
    const std::string method = pending_.method_of(each.id);
    if (method.empty()) continue;  // cancelled or overdue in the meantime
    if (auto sent = send_line(each.id, method, std::move(each.params)); !sent)
      if (auto waiting = pending_.take(each.id)) waiting->answer(tl::unexpected<Failure>(std::move(sent).error()));
  }
}

void Conversation::give_up(Error error) {
  close(error.text());
  events_.failed(std::move(error));
}

}  // namespace pinfold::mcp
