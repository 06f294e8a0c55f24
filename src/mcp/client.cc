// client.cc: starts, stops and restarts a server's process.
// Not here: calls and lists (client_calls.cc).
#include "mcp/client.h"

#include <algorithm>
#include <utility>

namespace pinfold::mcp {

Client::Client(sys::EventLoop& loop, Starter& starter, Filter& filter, Settings settings, Events events)
    : loop_(loop),
      starter_(starter),
      filter_(filter),
      settings_(std::move(settings)),
      events_(std::move(events)),
      errors_(
          settings_.limits.stderr_ring,
          [this](std::string_view line) { return filter_.text(OutputKind::kStderr, line); },
          [this](const std::string& line) { events_.stderr_line(line); }),
      deadline_(loop),
      end_timer_(loop),
      back_off_(loop),
      refresh_(loop),
      subscription_(loop),
      cleanup_(loop) {}

Client::~Client() {
  end_stage_ = EndStage::kKilled;
  // Pending requests fail with a story. Event handlers may belong to a half-destroyed owner, so they are not called.
  events_.ignored = [](const std::string&) {};
  if (conversation_) conversation_->close("the client was stopped");
}

void Client::set_state(State state) {
  state_ = std::move(state);
  events_.state_changed(state_);
}

void Client::start() {
  const bool may_start = std::holds_alternative<state::Idle>(state_) || std::holds_alternative<state::Failed>(state_);
  if (!may_start || process_) return;
  failures_ = 0;
  never_retry_ = false;
  launch();
}

void Client::launch() {
  end_reason_.clear();
  end_stage_ = EndStage::kNone;
  set_state(state::Starting{});
  auto process = starter_.start([this](const std::string& how) { process_ended(how); });
  if (!process) return after_failure("the server could not be started: " + process.error().text());
  process_ = std::move(*process);
  StdioTransport::Events events;
  events.lines.line = [this](std::string_view line) {
    conversation_->receive(line, Clock::now());
    if (const milliseconds debt = conversation_->debt(); debt > milliseconds(0)) transport_->pause_reading(debt);
    arm();
  };
  events.lines.overlong = [this](std::uint64_t bytes, const std::optional<std::string>& id) {
    conversation_->receive_overlong(bytes, id, Clock::now());
    arm();
  };
  events.stderr_bytes = [this](std::string_view bytes) { errors_.feed(bytes); };
  events.closed = [this](const std::string& why) {
    if (end_stage_ != EndStage::kNone) return;
    end_reason_ = why;
    end_process();
  };
  begin_conversation();
  auto transport = StdioTransport::open(loop_, process_->take_streams(), settings_.limits, std::move(events));
  if (!transport) {
    end_reason_ = transport.error().text();
    end_stage_ = EndStage::kKilled;
    return process_->kill();  // process_ended() does the rest
  }
  transport_ = std::move(*transport);
  conversation_->begin(Clock::now());
  arm();
}

void Client::begin_conversation() {
  Conversation::Events events;
  events.send = [this](const std::string& line) { send(line); };
  events.ready = [this](const ServerFacts& facts) { become_ready(facts); };
  events.failed = [this](const Error& error) {
    end_reason_ = error.text();
    never_retry_ = error.kind() == ErrorKind::kUnavailable;
    end_process();
  };
  events.notified = [this](const Notification& notification) { take_notification(notification); };
  events.ignored = [this](std::string_view story, std::string_view line) { ignore(story, line); };
  Settings settings = settings_;
  settings.first_id = next_id_;
  conversation_ = std::make_unique<Conversation>(std::move(settings), std::move(events));
}

void Client::send(const std::string& line) {
  if (!transport_ || transport_->send(line) || end_stage_ != EndStage::kNone) return;
  end_reason_ = "the server does not read its input";
  end_process();
}

void Client::become_ready(const ServerFacts& facts) {
  settings_.known_family = facts.family;
  ready_since_ = Clock::now();
  set_state(state::Ready{});
  events_.ready(facts);
  if (!facts.offers("tools")) return;
  refresh_tools();
  if (facts.family == ProtocolFamily::kModern && facts.tells_changes_of("tools")) subscribe();
}

void Client::arm() {
  const auto next = conversation_ ? conversation_->next_deadline() : std::nullopt;
  if (!next || (armed_ && *armed_ <= *next)) return;  // an earlier timer sets the next one when it fires
  armed_ = next;
  deadline_.set(std::chrono::ceil<milliseconds>(*next - Clock::now()), [this] {
    armed_.reset();
    if (conversation_) conversation_->tick(Clock::now());
    arm();
  });
}

void Client::stop(std::function<void()> done) {
  stop_callbacks_.push_back(std::move(done));
  back_off_.cancel();
  if (std::exchange(stopping_, true)) return;
  if (process_) {
    if (conversation_) conversation_->close("the server is being stopped");
    if (end_stage_ == EndStage::kNone) end_process();
    return;
  }
  end_timer_.set(milliseconds(0), [this] { process_ended(""); });
}

// Pending requests fail later, in process_ended(), with the exit status in the story.
void Client::end_process() {
  end_stage_ = EndStage::kInputClosed;
  set_state(state::Ending{});
  if (transport_) transport_->close_input();
  end_timer_.set(settings_.durations.until_terminate, [this] { escalate(); });
}

void Client::escalate() {
  if (!process_) return;
  if (conversation_) conversation_->close(end_reason_);
  if (end_stage_ == EndStage::kInputClosed) {
    end_stage_ = EndStage::kTerminated;
    process_->terminate();
    end_timer_.set(settings_.durations.until_kill, [this] { escalate(); });
  } else {
    end_stage_ = EndStage::kKilled;
    process_->kill();
  }
}

void Client::process_ended(const std::string& how) {
  end_stage_ = EndStage::kKilled;
  end_timer_.cancel();
  if (transport_) transport_->drain();
  errors_.finish();
  const bool probing = conversation_ && conversation_->is_probing();
  std::string story = how.empty() ? "the server ended" : "the server " + how;
  if (!end_reason_.empty()) story = end_reason_ + " (" + story + ")";
  if (conversation_) {
    conversation_->close(story);
    next_id_ = conversation_->next_id();
  }
  for (Timer* each : {&deadline_, &refresh_, &subscription_}) each->cancel();
  armed_.reset();
  refreshing_ = refresh_again_ = false;
  transport_.reset();
  conversation_.reset();
  if (ready_since_ && Clock::now() - *ready_since_ >= settings_.durations.healthy) failures_ = 0;
  ready_since_.reset();
  // The caller may be a member function of the process object, so destroy it from the event loop.
  if (process_) cleanup_.set(milliseconds(0), [gone = std::shared_ptr<ServerProcess>(std::move(process_))] {});
  if (stopping_) {
    stopping_ = false;
    set_state(state::Idle{});
    for (const auto& done : std::exchange(stop_callbacks_, {})) done();
    return;
  }
  if (probing && !settings_.known_family) {
    ignore(story + " on server/discover, so it counts as a legacy server", "");
    settings_.known_family = ProtocolFamily::kLegacy;
    return launch();
  }
  after_failure(story);
}

void Client::after_failure(const std::string& why) {
  ++failures_;
  if (stopping_) return;
  if (never_retry_ || failures_ >= settings_.durations.most_failures) return set_state(state::Failed{why});
  milliseconds pause = settings_.durations.first_back_off;
  for (int i = 1; i < failures_; ++i) pause = std::min(pause * 2, settings_.durations.longest_back_off);
  set_state(state::Backoff{pause, why});
  if (std::holds_alternative<state::Backoff>(state_) && !stopping_) back_off_.set(pause, [this] { launch(); });
}

void Client::ignore(std::string_view story, std::string_view line) {
  std::string text(story);
  if (!line.empty()) text.append(": ").append(line);
  events_.ignored(filter_.text(OutputKind::kStray, text));
}

}  // namespace pinfold::mcp
