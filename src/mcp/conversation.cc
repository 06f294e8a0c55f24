// conversation.cc: requests, answers, and what a server says unasked.
// Not here: finding out what the server speaks (handshake.cc).
#include "mcp/conversation.h"

#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace pinfold::mcp {
namespace {

constexpr std::size_t kShownOfLine = 200;

std::string begun(std::string_view line) {
  const std::string_view head = utf8_head(line, kShownOfLine);
  return std::string(head) + (head.size() < line.size() ? "…" : "");
}

Failure timed_out(const Waiting& waiting) {
  return {Failure::Kind::kTimedOut, "no answer to " + waiting.method + " in time", {}};
}

}  // namespace

Conversation::Conversation(Settings settings, Events events)
    : settings_(std::move(settings)),
      events_(std::move(events)),
      pending_(settings_.first_id),
      unasked_(settings_.limits.unasked_each_second, settings_.limits.unasked_at_once) {}

tl::expected<RequestId, Failure> Conversation::request(Waiting waiting, Json params, Time now) {
  now_ = now;
  const auto refuse = [](std::string story) {
    return tl::unexpected<Failure>(Failure{Failure::Kind::kRefused, std::move(story), {}});
  };
  if (phase_ == Phase::kOver || phase_ == Phase::kSilent) return refuse("the server is not running");
  if (pending_.size() >= settings_.limits.most_in_flight)
    return refuse("too many requests are waiting for this server");
  const std::string method = waiting.method;
  const RequestId id = pending_.add(std::move(waiting), now);
  if (phase_ != Phase::kReady) {
    unsent_.push_back({id, std::move(params)});
    return id;
  }
  if (auto sent = send_line(id, method, std::move(params)); !sent) {
    pending_.take(id);
    return tl::unexpected<Failure>(std::move(sent).error());
  }
  return id;
}

// Only for the handshake, whose lines are short.
RequestId Conversation::send_request(Waiting waiting, const Json& params) {
  const std::string method = waiting.method;
  const RequestId id = pending_.add(std::move(waiting), now_);
  events_.send(request_line(Id::of(id), method, params));
  return id;
}

tl::expected<void, Failure> Conversation::send_line(RequestId id, std::string_view method, Json params) {
  if (!params.is_object()) params = Json::object();
  if (facts_.era == Era::kModern) {
    Json& meta = params["_meta"];
    meta[meta::kVersion] = kModernVersion;
    meta[meta::kClientInfo] = client_info();
    meta[meta::kCapabilities] = client_capabilities();
  }
  if (method == "tools/call") params["_meta"]["progressToken"] = id;
  std::string line = request_line(Id::of(id), method, params);
  if (line.size() > settings_.limits.longest_request) {
    return tl::unexpected<Failure>(
        Failure{Failure::Kind::kRefused, "the request is longer than a server is ever sent", {}});
  }
  ++counts_.requests;
  events_.send(std::move(line));
  return {};
}

void Conversation::tell(std::string_view method, const Json& params) {
  events_.send(notification_line(method, params));
}

void Conversation::cancel(RequestId id, const std::string& reason) {
  if (id == probe_id_ || id == initialize_id_) return;
  auto waiting = pending_.abandon(id);
  if (!waiting) return;
  if (phase_ == Phase::kReady) tell("notifications/cancelled", {{"requestId", id}, {"reason", reason}});
  waiting->answer(tl::unexpected<Failure>(Failure{Failure::Kind::kCancelled, reason, {}}));
}

void Conversation::tick(Time now) {
  now_ = now;
  for (const RequestId id : pending_.overdue(now)) {
    auto waiting = pending_.abandon(id);
    if (!waiting) continue;
    const bool handshake = id == probe_id_ || id == initialize_id_;
    if (!handshake && phase_ == Phase::kReady)
      tell("notifications/cancelled", {{"requestId", id}, {"reason", "timed out"}});
    waiting->answer(tl::unexpected<Failure>(timed_out(*waiting)));
  }
}

void Conversation::close(const std::string& story) {
  phase_ = Phase::kOver;
  unsent_.clear();
  for (Waiting& each : pending_.take_all())
    each.answer(tl::unexpected<Failure>(Failure{Failure::Kind::kEnded, story, {}}));
}

void Conversation::receive(std::string_view line, Time now) {
  now_ = now;
  if (phase_ == Phase::kOver) return;
  Incoming message = read_message(line);
  if (auto* reply = std::get_if<Reply>(&message)) return take(std::move(*reply));
  if (auto* error = std::get_if<ErrorReply>(&message)) return take(std::move(*error));
  unasked_.take(now);
  if (auto* request = std::get_if<Request>(&message)) return take(std::move(*request));
  if (auto* notification = std::get_if<Notification>(&message)) return take(std::move(*notification), now);
  take(std::move(std::get<Unreadable>(message)), line);
}

void Conversation::receive_overlong(std::uint64_t bytes, const std::optional<std::string>& id, Time now) {
  now_ = now;
  if (phase_ == Phase::kOver) return;
  ++counts_.overlong;
  unasked_.take(now);
  const std::string story = "a line of " + std::to_string(bytes) + " bytes is longer than is read";
  auto waiting = id ? waiting_for(Id{*id}) : std::nullopt;
  ignore(story);
  if (waiting)
    waiting->answer(tl::unexpected<Failure>(Failure{Failure::Kind::kUnreadable, "the answer: " + story, {}}));
}

void Conversation::take(Request request) {
  ++counts_.messages;
  const bool asks_roots = request.method == "roots/list" && settings_.roots && facts_.era == Era::kLegacy;
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
  const Waiting* waiting = pending_.progressed(token->get<RequestId>(), done->get<double>(), now);
  if (waiting == nullptr || !waiting->progress) return;
  Progress progress{done->get<double>(), std::nullopt, text_member(params, "message")};
  if (total != nullptr && total->is_number()) progress.total = total->get<double>();
  // What it leads to may end the request, and with it the function.
  const auto tell_progress = waiting->progress;
  tell_progress(progress);
}

std::optional<Waiting> Conversation::waiting_for(const Id& id) {
  const auto number = Pending::number(id);
  return number ? pending_.take(*number) : std::nullopt;
}

void Conversation::take(Reply reply) {
  ++counts_.messages;
  if (auto waiting = waiting_for(reply.id)) return waiting->answer(std::move(reply.result));
  // A modern server that took longer than the probe to start says now what it is.
  if (phase_ == Phase::kInitializing && Pending::number(reply.id) == probe_id_) {
    const Verdict verdict = judge_discovery(reply.result);
    if (std::holds_alternative<SpeaksModern>(verdict)) {
      pending_.abandon(initialize_id_);
      return judge(verdict);
    }
  }
  ignore_stray(reply.id, "an answer");
}

void Conversation::take(ErrorReply reply) {
  ++counts_.messages;
  if (!reply.id) {
    unasked_.take(now_);
    return ignore("the server complains: " + begun(reply.error.message));
  }
  auto waiting = waiting_for(*reply.id);
  if (!waiting) return ignore_stray(*reply.id, "an error");
  Failure failure{Failure::Kind::kAnswered, reply.error.message, {}};
  failure.error = std::move(reply.error);
  waiting->answer(tl::unexpected<Failure>(std::move(failure)));
}

void Conversation::take(Unreadable unreadable, std::string_view line) {
  ++(unreadable.why == Unreadable::Why::kBadShape ? counts_.misshapen : counts_.noise);
  auto waiting = unreadable.id ? waiting_for(*unreadable.id) : std::nullopt;
  ignore("a line is no message: " + unreadable.story, line);
  if (waiting) {
    waiting->answer(tl::unexpected<Failure>(
        Failure{Failure::Kind::kUnreadable, "the answer cannot be read: " + unreadable.story, {}}));
  }
}

void Conversation::ignore_stray(const Id& id, std::string_view what) {
  unasked_.take(now_);
  const Pending::Stray stray = pending_.stray(id);
  ++(stray == Pending::Stray::kLate        ? counts_.late
     : stray == Pending::Stray::kDuplicate ? counts_.duplicate
                                           : counts_.unknown);
  const char* why = stray == Pending::Stray::kLate        ? " came too late"
                    : stray == Pending::Stray::kDuplicate ? " came a second time"
                                                          : " belongs to no request";
  ignore(std::string(what) + why);
}

void Conversation::ignore(std::string_view story, std::string_view line) { events_.ignored(story, begun(line)); }

}  // namespace pinfold::mcp
