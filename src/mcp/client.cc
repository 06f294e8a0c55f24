// client.cc: the life of a server's process.
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
          settings_.limits.stderr_ring, [this](std::string_view line) { return filter_.text(Speech::kStderr, line); },
          [this](const std::string& line) { events_.said(line); }),
      deadline_(loop),
      ladder_(loop),
      back_off_(loop),
      refresh_(loop),
      subscription_(loop),
      retired_(loop) {}

Client::~Client() {
  rung_ = Rung::kKilled;
  // Who asked is told; who only listened may be half gone by now.
  events_.ignored = [](const std::string&) {};
  if (conversation_) conversation_->close("the client was ended");
}

void Client::become(State state) {
  state_ = std::move(state);
  events_.changed(state_);
}

void Client::start() {
  const bool may_start = std::holds_alternative<state::Idle>(state_) || std::holds_alternative<state::GivenUp>(state_);
  if (!may_start || running_) return;
  failures_ = 0;
  hopeless_ = false;
  launch();
}

void Client::launch() {
  why_ended_.clear();
  rung_ = Rung::kNone;
  become(state::Starting{});
  auto running = starter_.start([this](const std::string& how) { run_ended(how); });
  if (!running) return after_failure("the server could not be started: " + running.error().text());
  running_ = std::move(*running);
  Wire::Events events;
  events.lines.line = [this](std::string_view line) {
    conversation_->receive(line, Clock::now());
    if (const milliseconds debt = conversation_->debt(); debt > milliseconds(0)) wire_->rest(debt);
    arm();
  };
  events.lines.overlong = [this](std::uint64_t bytes, const std::optional<std::string>& id) {
    conversation_->receive_overlong(bytes, id, Clock::now());
    arm();
  };
  events.said = [this](std::string_view bytes) { errors_.feed(bytes); };
  events.closed = [this](const std::string& why) {
    if (rung_ != Rung::kNone) return;
    why_ended_ = why;
    end_process();
  };
  begin_conversation();
  auto wire = Wire::open(loop_, running_->take_streams(), settings_.limits, std::move(events));
  if (!wire) {
    why_ended_ = wire.error().text();
    rung_ = Rung::kKilled;
    return running_->kill();  // the rest is done when it has ended
  }
  wire_ = std::move(*wire);
  conversation_->begin(Clock::now());
  arm();
}

void Client::begin_conversation() {
  Conversation::Events events;
  events.send = [this](const std::string& line) { send(line); };
  events.ready = [this](const ServerFacts& facts) { become_ready(facts); };
  events.failed = [this](const Error& error) {
    why_ended_ = error.text();
    hopeless_ = error.kind() == ErrorKind::kUnavailable;
    end_process();
  };
  events.notified = [this](const Notification& notification) { take_notification(notification); };
  events.ignored = [this](std::string_view story, std::string_view line) { ignore(story, line); };
  Settings settings = settings_;
  settings.first_id = next_id_;
  conversation_ = std::make_unique<Conversation>(std::move(settings), std::move(events));
}

void Client::send(const std::string& line) {
  if (!wire_ || wire_->send(line) || rung_ != Rung::kNone) return;
  why_ended_ = "the server does not read what it is sent";
  end_process();
}

void Client::become_ready(const ServerFacts& facts) {
  settings_.known_era = facts.era;
  ready_since_ = Clock::now();
  become(state::Ready{});
  events_.ready(facts);
  if (!facts.offers("tools")) return;
  refresh_tools();
  if (facts.era == Era::kModern && facts.tells_changes_of("tools")) subscribe();
}

void Client::arm() {
  const auto next = conversation_ ? conversation_->next_deadline() : std::nullopt;
  if (!next || (armed_ && *armed_ <= *next)) return;  // one that fires too early looks again
  armed_ = next;
  deadline_.set(std::chrono::ceil<milliseconds>(*next - Clock::now()), [this] {
    armed_.reset();
    if (conversation_) conversation_->tick(Clock::now());
    arm();
  });
}

void Client::stop(std::function<void()> done) {
  stopped_.push_back(std::move(done));
  back_off_.cancel();
  if (std::exchange(stopping_, true)) return;
  if (running_) {
    if (conversation_) conversation_->close("the server is being stopped");
    if (rung_ == Rung::kNone) end_process();
    return;
  }
  ladder_.set(milliseconds(0), [this] { run_ended(""); });
}

// Whoever still waits is told when it has ended, and then how.
void Client::end_process() {
  rung_ = Rung::kInputClosed;
  become(state::Ending{});
  if (wire_) wire_->close_input();
  ladder_.set(settings_.durations.until_terminate, [this] { climb(); });
}

void Client::climb() {
  if (!running_) return;
  if (conversation_) conversation_->close(why_ended_);
  if (rung_ == Rung::kInputClosed) {
    rung_ = Rung::kTerminated;
    running_->terminate();
    ladder_.set(settings_.durations.until_kill, [this] { climb(); });
  } else {
    rung_ = Rung::kKilled;
    running_->kill();
  }
}

void Client::run_ended(const std::string& how) {
  rung_ = Rung::kKilled;
  ladder_.cancel();
  if (wire_) wire_->drain();
  errors_.finish();
  const bool probing = conversation_ && conversation_->is_probing();
  std::string story = how.empty() ? "the server ended" : "the server " + how;
  if (!why_ended_.empty()) story = why_ended_ + " (" + story + ")";
  if (conversation_) {
    conversation_->close(story);
    next_id_ = conversation_->next_id();
  }
  for (Timer* each : {&deadline_, &refresh_, &subscription_}) each->cancel();
  armed_.reset();
  refreshing_ = refresh_again_ = false;
  wire_.reset();
  conversation_.reset();
  if (ready_since_ && Clock::now() - *ready_since_ >= settings_.durations.healthy) failures_ = 0;
  ready_since_.reset();
  // We may be in a function of its own.
  if (running_) retired_.set(milliseconds(0), [gone = std::shared_ptr<Running>(std::move(running_))] {});
  if (stopping_) {
    stopping_ = false;
    become(state::Idle{});
    for (const auto& done : std::exchange(stopped_, {})) done();
    return;
  }
  if (probing && !settings_.known_era) {
    ignore(story + " when it was asked what it speaks, so it is of the legacy era", "");
    settings_.known_era = Era::kLegacy;
    return launch();
  }
  after_failure(story);
}

void Client::after_failure(const std::string& why) {
  ++failures_;
  if (stopping_) return;
  if (hopeless_ || failures_ >= settings_.durations.most_failures) return become(state::GivenUp{why});
  milliseconds pause = settings_.durations.first_back_off;
  for (int i = 1; i < failures_; ++i) pause = std::min(pause * 2, settings_.durations.longest_back_off);
  become(state::BackingOff{pause, why});
  if (std::holds_alternative<state::BackingOff>(state_) && !stopping_) back_off_.set(pause, [this] { launch(); });
}

void Client::ignore(std::string_view story, std::string_view line) {
  std::string text(story);
  if (!line.empty()) text.append(": ").append(line);
  events_.ignored(filter_.text(Speech::kStray, text));
}

}  // namespace pinfold::mcp
