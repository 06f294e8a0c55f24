// conversation.cc: requests, answers, and unsolicited messages of a server.
// Not here: finding the protocol version (handshake.cc).
#include "mcp/conversation.h"

#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace pinfold::mcp {
namespace {

constexpr std::size_t kShownOfLine = 200;

std::string beginning_of(std::string_view line) {
  const std::string_view head = utf8_head(line, kShownOfLine);
  return std::string(head) + (head.size() < line.size() ? "…" : "");
}

Failure timed_out(const PendingRequest& pending) {
  return {Failure::Kind::kTimedOut, "no answer to " + pending.method + " in time", {}};
}

}  // namespace

Conversation::Conversation(Settings settings, Events events)
    : settings_(std::move(settings)),
      events_(std::move(events)),
      pending_(settings_.first_id),
      unsolicited_(settings_.limits.unsolicited_per_second, settings_.limits.unsolicited_burst) {}

tl::expected<RequestId, Failure> Conversation::request(PendingRequest pending, Json params, Time now) {
  now_ = now;
  const auto refuse = [](std::string story) {
    return tl::unexpected<Failure>(Failure{Failure::Kind::kRefused, std::move(story), {}});
  };
  if (phase_ == Phase::kOver || phase_ == Phase::kSilent) return refuse("the server is not running");
  if (pending_.size() >= settings_.limits.most_in_flight)
    return refuse("too many requests are waiting for this server");
  const std::string method = pending.method;
  const RequestId id = pending_.add(std::move(pending), now);
  if (phase_ != Phase::kReady) {
    queued_.push_back({id, std::move(params)});
    return id;
  }
  if (auto sent = send_line(id, method, std::move(params)); !sent) {
    pending_.take(id);
    return tl::unexpected<Failure>(std::move(sent).error());
  }
  return id;
}

// Only for the handshake, whose lines are short.
RequestId Conversation::send_request(PendingRequest pending, const Json& params) {
  const std::string method = pending.method;
  const RequestId id = pending_.add(std::move(pending), now_);
  events_.send(request_line(Id::of(id), method, params));
  return id;
}

tl::expected<void, Failure> Conversation::send_line(RequestId id, std::string_view method, Json params) {
  if (!params.is_object()) params = Json::object();
  if (facts_.family == ProtocolFamily::kModern) {
    Json& meta = params["_meta"];
    meta[meta::kVersion] = kModernVersion;
    meta[meta::kClientInfo] = client_info();
    meta[meta::kCapabilities] = client_capabilities();
  }
  if (method == "tools/call") params["_meta"]["progressToken"] = id;
  std::string line = request_line(Id::of(id), method, params);
  if (line.size() > settings_.limits.longest_request) {
    return tl::unexpected<Failure>(Failure{Failure::Kind::kRefused, "the request is too long", {}});
  }
  ++counts_.requests;
  events_.send(std::move(line));
  return {};
}

void Conversation::send_notification(std::string_view method, const Json& params) {
  events_.send(notification_line(method, params));
}

void Conversation::cancel(RequestId id, const std::string& reason) {
  if (id == probe_id_ || id == initialize_id_) return;
  auto pending = pending_.abandon(id);
  if (!pending) return;
  if (phase_ == Phase::kReady) send_notification("notifications/cancelled", {{"requestId", id}, {"reason", reason}});
  pending->answer(tl::unexpected<Failure>(Failure{Failure::Kind::kCancelled, reason, {}}));
}

void Conversation::tick(Time now) {
  now_ = now;
  for (const RequestId id : pending_.overdue(now)) {
    auto pending = pending_.abandon(id);
    if (!pending) continue;
    const bool handshake = id == probe_id_ || id == initialize_id_;
    if (!handshake && phase_ == Phase::kReady)
      send_notification("notifications/cancelled", {{"requestId", id}, {"reason", "timed out"}});
    pending->answer(tl::unexpected<Failure>(timed_out(*pending)));
  }
}

void Conversation::close(const std::string& story) {
  phase_ = Phase::kOver;
  queued_.clear();
  for (PendingRequest& each : pending_.take_all())
    each.answer(tl::unexpected<Failure>(Failure{Failure::Kind::kEnded, story, {}}));
}

void Conversation::receive(std::string_view line, Time now) {
  now_ = now;
  if (phase_ == Phase::kOver) return;
  IncomingMessage message = read_message(line);
  if (auto* reply = std::get_if<Reply>(&message)) return take(std::move(*reply));
  if (auto* error = std::get_if<ErrorReply>(&message)) return take(std::move(*error));
  unsolicited_.take(now);
  if (auto* request = std::get_if<Request>(&message)) return take(std::move(*request));
  if (auto* notification = std::get_if<Notification>(&message)) return take(std::move(*notification), now);
  take(std::move(std::get<InvalidMessage>(message)), line);
}

void Conversation::receive_overlong(std::uint64_t bytes, const std::optional<std::string>& id, Time now) {
  now_ = now;
  if (phase_ == Phase::kOver) return;
  ++counts_.overlong;
  unsolicited_.take(now);
  const std::string story = "a line of " + std::to_string(bytes) + " bytes is too long";
  auto pending = id ? take_pending(Id{*id}) : std::nullopt;
  ignore(story);
  if (pending)
    pending->answer(tl::unexpected<Failure>(Failure{Failure::Kind::kUnreadable, "the answer: " + story, {}}));
}

void Conversation::take(Request request) {
  ++counts_.messages;
  const bool asks_roots = request.method == "roots/list" && settings_.roots && facts_.family == ProtocolFamily::kLegacy;
  if (request.method == "ping") return events_.send(reply_line(request.id, Json::object()));
  if (!asks_roots) {
    ++counts_.refused_requests;
    const std::string method(utf8_head(request.method, kShownOfLine));
    return events_.send(error_line(request.id, {code::kNoMethod, "not supported by this client: " + method, nullptr}));
  }
  Json roots = Json::array();
  for (const Root& each : *settings_.roots) roots.push_back({{"uri", each.uri}, {"name", each.name}});
  events_.send(reply_line(request.id, {{"roots", std::move(roots)}}));
}

void Conversation::take(const Notification& notification, Time now) {
  ++counts_.messages;
  ++counts_.notifications;
  if (notification.method == "notifications/progress") return take_progress(notification.params, now);
  if (phase_ == Phase::kReady) events_.notified(notification);
}

void Conversation::take_progress(const Json& params, Time now) {
  const Json* token = member(params, "progressToken");
  const Json* done = member(params, "progress");
  const Json* total = member(params, "total");
  if (token == nullptr || !token->is_number_integer() || done == nullptr || !done->is_number()) return;
  const PendingRequest* pending = pending_.progressed(token->get<RequestId>(), done->get<double>(), now);
  if (pending == nullptr || !pending->progress) return;
  Progress progress{done->get<double>(), std::nullopt, text_member(params, "message")};
  if (total != nullptr && total->is_number()) progress.total = total->get<double>();
  // The callback may end the request and destroy the stored function, so call a copy.
  const auto report_progress = pending->progress;
  report_progress(progress);
}

std::optional<PendingRequest> Conversation::take_pending(const Id& id) {
  const auto number = PendingRequests::number(id);
  return number ? pending_.take(*number) : std::nullopt;
}

void Conversation::take(Reply reply) {
  ++counts_.messages;
  if (auto pending = take_pending(reply.id)) return pending->answer(std::move(reply.result));
  // A modern server that started more slowly than the probe allows answers it only now.
  if (phase_ == Phase::kInitializing && PendingRequests::number(reply.id) == probe_id_) {
    const DiscoveryResult discovery = classify_discovery(reply.result);
    if (std::holds_alternative<ModernServer>(discovery)) {
      pending_.abandon(initialize_id_);
      return choose_protocol(discovery);
    }
  }
  ignore_stray(reply.id, "an answer");
}

void Conversation::take(ErrorReply reply) {
  ++counts_.messages;
  if (!reply.id) {
    unsolicited_.take(now_);
    return ignore("the server reported an error: " + beginning_of(reply.error.message));
  }
  auto pending = take_pending(*reply.id);
  if (!pending) return ignore_stray(*reply.id, "an error");
  Failure failure{Failure::Kind::kAnswered, reply.error.message, {}};
  failure.error = std::move(reply.error);
  pending->answer(tl::unexpected<Failure>(std::move(failure)));
}

void Conversation::take(InvalidMessage invalid, std::string_view line) {
  ++(invalid.reason == InvalidMessage::Reason::kBadShape ? counts_.malformed : counts_.noise);
  auto pending = invalid.id ? take_pending(*invalid.id) : std::nullopt;
  ignore("a line is not a message: " + invalid.story, line);
  if (pending) {
    pending->answer(tl::unexpected<Failure>(
        Failure{Failure::Kind::kUnreadable, "the answer cannot be read: " + invalid.story, {}}));
  }
}

void Conversation::ignore_stray(const Id& id, std::string_view what) {
  unsolicited_.take(now_);
  const PendingRequests::Stray stray = pending_.stray(id);
  ++(stray == PendingRequests::Stray::kLate        ? counts_.late
     : stray == PendingRequests::Stray::kDuplicate ? counts_.duplicate
                                                   : counts_.unknown);
  const char* why = stray == PendingRequests::Stray::kLate        ? " came too late"
                    : stray == PendingRequests::Stray::kDuplicate ? " came a second time"
                                                                  : " belongs to no request";
  ignore(std::string(what) + why);
}

void Conversation::ignore(std::string_view story, std::string_view line) { events_.ignored(story, beginning_of(line)); }

}  // namespace pinfold::mcp
