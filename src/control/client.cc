// client.cc: sends requests, waits for responses and passes events on to the supervisor.
#include "control/client.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include "base/try.h"
#include "control/answer_wait.h"
#include "report/error_line.h"

namespace pinfold::control {
namespace {

constexpr std::size_t kMostErrorLines = 200;
constexpr std::size_t kLongestLine = 4096;
constexpr auto kPatience = std::chrono::seconds(15);       // for a response that needs no start or stop
constexpr auto kStartPatience = std::chrono::seconds(60);  // until a command has started or a session has ended
constexpr int kBetweenConnects = 10;                       // milliseconds
constexpr auto kReaction =
    std::chrono::milliseconds(500);  // to a signal; then check whether the session's process is stopped

Result<Channel> connect(RuntimeDir& runtime, const std::string& name) {
  auto fd = runtime.connect(name, Wait::kBlock);
  if (!fd && fd.error().kind() == ErrorKind::kNotFound) {
    PF_TRY(entry, runtime.find(name));  // reports the problem, or completes the name
    fd = runtime.connect(entry.id, Wait::kBlock);
    if (!fd && fd.error().kind() == ErrorKind::kNotFound)
      return fail(ErrorKind::kSystem, "the session " + entry.name + " does not respond: it is starting or has ended",
                  "see: pinfold session list");
  }
  if (fd) return Channel(std::move(*fd));
  return fail(ErrorKind::kSystem, fd.error().text(), fd.error().fix());
}

struct IncomingEvent {
  Event event;
  std::vector<sys::Fd> fds;
};

Result<IncomingEvent> receive_event(Channel& channel) {
  PF_TRY(packet, channel.receive(Wait::kBlock), "the session has ended");
  if (!packet) return fail(ErrorKind::kSystem, "the session sent no message");
  PF_TRY(event, parse_event(packet->text));
  return IncomingEvent{std::move(event), std::move(packet->fds)};
}

// The next event, if it arrives within `patience`.
Result<IncomingEvent> receive_event_within(Channel& channel, std::chrono::milliseconds patience) {
  PF_CHECK(await_answer(channel, patience));
  return receive_event(channel);
}

sys::Fd pidfd_of_session(const Channel& channel) {
  return sys::Fd::adopt(static_cast<int>(::syscall(SYS_pidfd_open, session_process(channel), 0)));
}

// A session that refuses a connection sends the reason before it closes.
std::optional<Error> reason_to_close(Channel& channel) {
  auto packet = channel.receive(Wait::kNever);
  if (!packet || !*packet) return std::nullopt;
  auto event = parse_event((*packet)->text);
  auto* failed = event ? std::get_if<event::Failure>(&*event) : nullptr;
  return failed != nullptr ? std::optional(std::move(failed->error)) : std::nullopt;
}

Result<void> send_request(Channel& channel, const Request& request, const std::vector<int>& fds = {}) {
  auto sent = channel.send(to_text(request), fds, Wait::kBlock);
  if (sent && *sent) return {};
  if (sent) return tl::unexpected<Error>(stopped_error(session_process(channel)));
  if (auto why = reason_to_close(channel)) return tl::unexpected<Error>(std::move(*why));
  return tl::unexpected<Error>(std::move(sent).error().within("the session has ended"));
}

// With kUnavailable the supervisor would try another backend and report a refusal.
Error final_error(const Error& error) { return Error(ErrorKind::kSystem, error.text(), error.fix()); }

// A session that starts has no socket yet. One whose process exits has none any more, and is listed until the kernel
// has closed its files. Not open: it has ended.
Result<sys::Fd> connect_while_listed(RuntimeDir& runtime, const std::string& id) {
  const auto until = std::chrono::steady_clock::now() + kStartPatience;
  for (;;) {
    auto fd = runtime.connect(id, Wait::kBlock);
    if (fd) return std::move(*fd);
    if (fd.error().kind() != ErrorKind::kNotFound || std::chrono::steady_clock::now() >= until)
      return tl::unexpected<Error>(final_error(fd.error()));
    PF_TRY(listed, runtime.list());
    if (std::none_of(listed.begin(), listed.end(), [&](const SandboxEntry& each) { return each.id == id; }))
      return sys::Fd();
    ::poll(nullptr, 0, kBetweenConnects);
  }
}

// Sends one request and receives its response.
template <typename Kind>
Result<Kind> request_once(const RuntimeDir& runtime, const std::string& name, const Request& request) {
  PF_TRY(fd, runtime.connect(name, Wait::kBlock));
  Channel channel(std::move(fd));
  PF_CHECK(send_request(channel, request));
  PF_TRY(incoming, receive_event_within(channel, kPatience));
  if (auto* wanted = std::get_if<Kind>(&incoming.event)) return std::move(*wanted);
  if (auto* failed = std::get_if<event::Failure>(&incoming.event))
    return tl::unexpected<Error>(std::move(failed->error));
  return fail(ErrorKind::kSystem, "the session sent an unexpected response");
}

}  // namespace

Result<event::Description> describe(const RuntimeDir& runtime, const std::string& name) {
  return request_once<event::Description>(runtime, name, request::Describe{});
}

Result<bool> decide(const RuntimeDir& runtime, const std::string& name, std::uint64_t request,
                    ApprovalDecision decision) {
  PF_TRY(taken, request_once<event::Acknowledgement>(runtime, name, request::Decide{request, decision}));
  return taken.counted;
}

Result<void> revoke(const RuntimeDir& runtime, const std::string& name, std::uint64_t grant) {
  PF_TRY(taken, request_once<event::Acknowledgement>(runtime, name, request::Revoke{grant}));
  static_cast<void>(taken);
  return {};
}

Result<Watch> Watch::start(const RuntimeDir& runtime, const std::string& name) {
  PF_TRY(fd, runtime.connect(name, Wait::kNever));
  Watch watch{Channel(std::move(fd))};
  PF_CHECK(send_request(watch.channel_, request::Describe{}));
  PF_CHECK(send_request(watch.channel_, request::Watch{}));
  return watch;
}

Result<Event> Watch::next() {
  PF_TRY(incoming, receive_event(channel_));
  return std::move(incoming.event);
}

Result<void> stop(RuntimeDir& runtime, const std::string& id) {
  PF_TRY(fd, connect_while_listed(runtime, id));
  if (!fd.is_open()) return {};
  Channel channel(std::move(fd));
  const sys::Fd process = pidfd_of_session(channel);
  const auto has_ended = [&] {
    pollfd state{process.raw(), POLLIN, 0};
    return process.is_open() && ::poll(&state, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) == 1;
  };
  if (auto sent = send_request(channel, request::Stop{}); !sent) {
    // The session ended between the connection and the request, which is the wanted result.
    if (has_ended()) return {};
    return tl::unexpected<Error>(final_error(sent.error()));
  }
  for (;;) {
    PF_CHECK(await_answer(channel, kStartPatience).map_error(final_error));
    auto incoming = receive_event(channel);
    if (!incoming) break;
    if (auto* failed = std::get_if<event::Failure>(&incoming->event))
      return tl::unexpected<Error>(std::move(failed->error));
  }
  // Wait for the exit of its process.
  static_cast<void>(has_ended());
  return {};
}

class RemoteBackend::RemoteSandbox final : public backend::Sandbox {
 public:
  RemoteSandbox(RemoteBackend& backend, Channel channel, std::vector<Coverage> coverage)
      : backend_(backend), channel_(std::move(channel)), coverage_(std::move(coverage)) {}

  const std::vector<Coverage>& coverage() const override { return coverage_; }

  Result<backend::StartResult> start(const backend::Launch& launch) override {
    request::Run run{launch, backend_.directory_, backend_.limits_.has_value()};
    std::vector<int> fds;
    for (int i = 0; i < 3; ++i)
      if (launch.stdio[i] == backend::StdioKind::kPass) fds.push_back(launch.fds[i]);
    PF_CHECK(send_request(channel_, run, fds).map_error(final_error));
    for (;;) {
      auto next = receive_event_within(channel_, kStartPatience);
      if (!next) return tl::unexpected<Error>(final_error(std::move(next).error()));
      IncomingEvent& incoming = *next;
      if (auto* started = std::get_if<event::CommandStart>(&incoming.event)) {
        backend_.backend_ = std::move(started->backend);
        is_running_ = true;
        backend::StartResult out;
        if (started->has_terminal && incoming.fds.size() == 1) out.terminal = std::move(incoming.fds[0]);
        return out;
      }
      if (auto* failed = std::get_if<event::Failure>(&incoming.event)) {
        backend_.denials_ = std::move(failed->denials);
        return tl::unexpected<Error>(std::move(failed->error));
      }
      if (auto* limits = std::get_if<event::Limits>(&incoming.event)) {
        backend_.limits_ = std::move(limits->limits);
        return fail(ErrorKind::kSystem, "the session has limits of its own");
      }
      deferred_.push_back(std::move(incoming.event));
    }
  }

  void attach(sys::EventLoop& loop, backend::SandboxEvents& events) override {
    loop_ = &loop;
    events_ = &events;
    loop.add_or_report(
        channel_.raw(), sys::EventLoop::Interest::kRead, [this] { serve(); },
        [this](const Error& why) { events_->sandbox_gone(why.text()); });
    if (!deferred_.empty()) loop.after(std::chrono::milliseconds(0), [this] { act_on_deferred(); });
  }

  void keep_reading(sys::Fd stream) override {
    static_cast<void>(send_request(channel_, request::Drain{}, {stream.raw()}));
  }
  void signal(int number) override {
    static_cast<void>(send_request(channel_, request::Signal{number}));
    expect_reaction();
  }
  void terminate() override {
    static_cast<void>(send_request(channel_, request::Terminate{}));
    expect_reaction();
  }
  void kill() override {
    if (!is_running_) return;
    static_cast<void>(send_request(channel_, request::Kill{}));
    expect_reaction();
  }

  std::optional<backend::TreeUsage> usage() override {
    if (!is_running_ || !send_request(channel_, request::Usage{})) return std::nullopt;
    const auto used = await<event::TreeUsage>();
    if (loop_ != nullptr && !deferred_.empty())
      loop_->after(std::chrono::milliseconds(0), [this] { act_on_deferred(); });
    return used ? used->usage : std::nullopt;
  }
  // The kernel's limits of the session apply to all its commands together, so these are watched for each command.
  bool watches(LimitKind kind) const override { return kind == LimitKind::kMemory || kind == LimitKind::kCpuTime; }

  Usage finish(std::vector<std::string>&, std::vector<Denial>& denials) override {
    if (loop_ != nullptr) {
      loop_->remove(channel_.raw());
      if (reaction_) loop_->cancel(*reaction_);
    }
    loop_ = nullptr;
    for (Denial& denial : std::exchange(backend_.denials_, {})) denials.push_back(std::move(denial));
    if (std::exchange(is_running_, false)) {
      static_cast<void>(send_request(channel_, request::Kill{}));
      if (const auto ended = await<event::CommandEnd>()) used_ = ended->usage;
    }
    backend_.look_at("\n");  // completes a last line without a newline
    if (!backend_.error_lines_.empty() &&
        send_request(channel_, request::InferDenials{std::exchange(backend_.error_lines_, {})}))
      if (auto judged = await<event::InferredDenials>())
        for (Denial& denial : judged->denials) denials.push_back(std::move(denial));
    channel_.close();
    return used_;
  }

 private:
  // The next event of this kind; others are deferred.
  template <typename Kind>
  std::optional<Kind> await() {
    for (;;) {
      auto incoming = receive_event_within(channel_, kPatience);
      if (!incoming) return std::nullopt;
      if (auto* wanted = std::get_if<Kind>(&incoming->event)) return std::move(*wanted);
      deferred_.push_back(std::move(incoming->event));
    }
  }

  // A stopped session process forwards no signal and kills nothing, so the client must not wait for it.
  void expect_reaction() {
    if (loop_ == nullptr || reaction_) return;
    reaction_ = loop_->after(kReaction, [this] {
      reaction_.reset();
      const pid_t process = session_process(channel_);
      if (!is_running_ || !is_stopped(process)) return;
      is_running_ = false;
      loop_->remove(channel_.raw());
      const Error why = stopped_error(process);
      events_->sandbox_gone(why.text() + " (" + why.fix() + ")");
    });
  }

  void serve() {
    auto incoming = receive_event(channel_);
    if (!incoming) {
      loop_->remove(channel_.raw());
      is_running_ = false;
      events_->sandbox_gone(incoming.error().text());
      return;
    }
    act_on(incoming->event);
  }

  void act_on(Event& event) {
    if (events_ == nullptr) return;
    if (const auto* ended = std::get_if<event::CommandEnd>(&event)) {
      is_running_ = false;
      used_ = ended->usage;
      events_->command_ended(backend::CommandExit{ended->wait_status});
    } else if (std::holds_alternative<event::CommandStop>(event)) {
      events_->command_stopped();
    } else if (auto* denied = std::get_if<event::AccessDenial>(&event)) {
      events_->denied(std::move(denied->denial));
    } else if (auto* breached = std::get_if<event::Breach>(&event)) {
      events_->breached(std::move(breached->denial), std::move(breached->note));
    } else if (auto* gone = std::get_if<event::SandboxEnd>(&event)) {
      is_running_ = false;
      events_->sandbox_gone(std::move(gone->why));
    }
  }

  void act_on_deferred() {
    for (Event& event : std::exchange(deferred_, {}))
      if (loop_ != nullptr) act_on(event);
  }

  RemoteBackend& backend_;
  Channel channel_;
  std::vector<Coverage> coverage_;
  std::vector<Event> deferred_;
  bool is_running_ = false;
  Usage used_;
  sys::EventLoop* loop_ = nullptr;
  std::optional<sys::EventLoop::TimerId> reaction_;
  backend::SandboxEvents* events_ = nullptr;
};

Result<std::unique_ptr<backend::Sandbox>> RemoteBackend::prepare(const Plan& plan) {
  static_cast<void>(plan);
  PF_TRY(channel, connect(runtime_, session_));
  std::vector<Coverage> coverage;
  if (fetch_ == Fetch::kCoverage) {
    // A session that has ended is not a command that was not found.
    PF_CHECK(send_request(channel, request::Describe{}).map_error(final_error));
    PF_TRY(incoming, receive_event_within(channel, kPatience).map_error(final_error));
    if (auto* described = std::get_if<event::Description>(&incoming.event)) coverage = std::move(described->coverage);
    if (const auto* failed = std::get_if<event::Failure>(&incoming.event))
      return tl::unexpected<Error>(final_error(failed->error));
  }
  return std::make_unique<RemoteSandbox>(*this, std::move(channel), std::move(coverage));
}

void RemoteBackend::look_at(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    partial_.append(bytes.substr(0, std::min(end, kLongestLine - partial_.size())));
    if (end == std::string_view::npos) return;
    if (partial_.ends_with('\r')) partial_.pop_back();
    const bool coloured = partial_.find('\x1b') != std::string::npos;
    if (error_lines_.size() < kMostErrorLines && (coloured || report::read_error_line(partial_)))
      error_lines_.push_back(partial_);
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace pinfold::control
