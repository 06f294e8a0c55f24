// client.cc: asks, waits, and passes on what the session tells.
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
#include "report/complaint.h"

namespace pinfold::control {
namespace {

constexpr std::size_t kMostComplaints = 200;
constexpr std::size_t kLongestLine = 4096;
constexpr auto kPatience = std::chrono::seconds(15);        // with a session that has to look something up
constexpr auto kStartPatience = std::chrono::seconds(60);   // until a command is started, or a session has ended
constexpr auto kReaction = std::chrono::milliseconds(500);  // to a signal: then the session's process is looked at

Result<Channel> connect(Place& place, const std::string& name) {
  auto fd = place.connect(name, Wait::kBlock);
  if (!fd && fd.error().kind() == ErrorKind::kNotFound) {
    PF_TRY(entry, place.find(name), "");  // names the problem, or knows the whole name
    fd = place.connect(entry.id, Wait::kBlock);
    if (!fd && fd.error().kind() == ErrorKind::kNotFound)
      return fail(ErrorKind::kSystem,
                  "the session " + entry.name + " does not answer: it is being started, or just ended",
                  "see: pinfold session list");
  }
  if (fd) return Channel(std::move(*fd));
  return fail(ErrorKind::kSystem, fd.error().text(), fd.error().fix());
}

struct Heard {
  Told told;
  std::vector<sys::Fd> fds;
};

Result<Heard> hear(Channel& channel) {
  PF_TRY(packet, channel.receive(Wait::kBlock), "the session has ended");
  if (!packet) return fail(ErrorKind::kSystem, "the session said nothing");
  PF_TRY(told, parse_told(packet->text), "");
  return Heard{std::move(told), std::move(packet->fds)};
}

// The next message, if it comes in time.
Result<Heard> hear_within(Channel& channel, std::chrono::milliseconds patience) {
  PF_CHECK(await_answer(channel, patience), "");
  return hear(channel);
}

sys::Fd keeper_of(const Channel& channel) {
  return sys::Fd::adopt(static_cast<int>(::syscall(SYS_pidfd_open, session_process(channel), 0)));
}

// A session that refuses a connection says why before it closes it.
std::optional<Error> reason_to_close(Channel& channel) {
  auto packet = channel.receive(Wait::kNever);
  if (!packet || !*packet) return std::nullopt;
  auto told = parse_told((*packet)->text);
  auto* failed = told ? std::get_if<tell::Failed>(&*told) : nullptr;
  return failed != nullptr ? std::optional(std::move(failed->error)) : std::nullopt;
}

Result<void> say(Channel& channel, const Asked& asked, const std::vector<int>& fds = {}) {
  auto sent = channel.send(to_text(asked), fds, Wait::kBlock);
  if (sent && *sent) return {};
  if (sent) return tl::unexpected<Error>(stopped_error(session_process(channel)));
  if (auto why = reason_to_close(channel)) return tl::unexpected<Error>(std::move(*why));
  return tl::unexpected<Error>(std::move(sent).error().within("the session has ended"));
}

// kUnavailable would make the supervisor look for another backend, and be reported as a refusal.
Error final_error(const Error& error) { return Error(ErrorKind::kSystem, error.text(), error.fix()); }

// One question, and the one answer that is meant for it.
template <typename Kind>
Result<Kind> ask_once(const Place& place, const std::string& name, const Asked& asked) {
  PF_TRY(fd, place.connect(name, Wait::kBlock), "");
  Channel channel(std::move(fd));
  PF_CHECK(say(channel, asked), "");
  PF_TRY(heard, hear_within(channel, kPatience), "");
  if (auto* wanted = std::get_if<Kind>(&heard.told)) return std::move(*wanted);
  if (auto* failed = std::get_if<tell::Failed>(&heard.told)) return tl::unexpected<Error>(std::move(failed->error));
  return fail(ErrorKind::kSystem, "it answers something else");
}

}  // namespace

Result<tell::Described> describe(const Place& place, const std::string& name) {
  return ask_once<tell::Described>(place, name, ask::Describe{});
}

Result<bool> answer(const Place& place, const std::string& name, std::uint64_t question, Answer answer) {
  PF_TRY(taken, ask_once<tell::Taken>(place, name, ask::Answer{question, answer}), "");
  return taken.counted;
}

Result<void> revoke(const Place& place, const std::string& name, std::uint64_t grant) {
  PF_TRY(taken, ask_once<tell::Taken>(place, name, ask::Revoke{grant}), "");
  static_cast<void>(taken);
  return {};
}

Result<Watch> Watch::start(const Place& place, const std::string& name) {
  PF_TRY(fd, place.connect(name, Wait::kNever), "");
  Watch watch{Channel(std::move(fd))};
  PF_CHECK(say(watch.channel_, ask::Describe{}), "");
  PF_CHECK(say(watch.channel_, ask::Watch{}), "");
  return watch;
}

Result<Told> Watch::next() {
  PF_TRY(heard, hear(channel_), "");
  return std::move(heard.told);
}

Result<void> stop(const Place& place, const std::string& name) {
  PF_TRY(fd, place.connect(name, Wait::kBlock).map_error(final_error), "");
  Channel channel(std::move(fd));
  const sys::Fd keeper = keeper_of(channel);
  const auto has_ended = [&] {
    pollfd state{keeper.raw(), POLLIN, 0};
    return keeper.is_open() && ::poll(&state, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) == 1;
  };
  if (auto asked = say(channel, ask::Stop{}); !asked) {
    // A session that ended between the connection and the request has done as asked.
    if (has_ended()) return {};
    return tl::unexpected<Error>(final_error(asked.error()));
  }
  for (;;) {
    PF_CHECK(await_answer(channel, kStartPatience).map_error(final_error), "");
    auto heard = hear(channel);
    if (!heard) break;
    if (auto* failed = std::get_if<tell::Failed>(&heard->told)) return tl::unexpected<Error>(std::move(failed->error));
  }
  // Its process has nothing left to do but to end.
  static_cast<void>(has_ended());
  return {};
}

class RemoteBackend::Room final : public backend::Sandbox {
 public:
  Room(RemoteBackend& backend, Channel channel, std::vector<Coverage> coverage)
      : backend_(backend), channel_(std::move(channel)), coverage_(std::move(coverage)) {}

  const std::vector<Coverage>& coverage() const override { return coverage_; }

  Result<backend::Started> start(const backend::Launch& launch) override {
    ask::Run run{launch, backend_.directory_, backend_.limits_.has_value()};
    std::vector<int> fds;
    for (int i = 0; i < 3; ++i)
      if (launch.stdio[i] == backend::StdioKind::kPass) fds.push_back(launch.fds[i]);
    PF_CHECK(say(channel_, run, fds).map_error(final_error), "");
    for (;;) {
      auto next = hear_within(channel_, kStartPatience);
      if (!next) return tl::unexpected<Error>(final_error(std::move(next).error()));
      Heard& heard = *next;
      if (auto* started = std::get_if<tell::Started>(&heard.told)) {
        backend_.backend_ = std::move(started->backend);
        is_running_ = true;
        backend::Started out;
        if (started->has_terminal && heard.fds.size() == 1) out.terminal = std::move(heard.fds[0]);
        return out;
      }
      if (auto* failed = std::get_if<tell::Failed>(&heard.told)) {
        backend_.denials_ = std::move(failed->denials);
        return tl::unexpected<Error>(std::move(failed->error));
      }
      if (auto* limits = std::get_if<tell::Limits>(&heard.told)) {
        backend_.limits_ = std::move(limits->limits);
        return fail(ErrorKind::kSystem, "the session has limits of its own");
      }
      unheard_.push_back(std::move(heard.told));
    }
  }

  void attach(sys::EventLoop& loop, backend::SandboxEvents& events) override {
    loop_ = &loop;
    events_ = &events;
    loop.add_or_report(
        channel_.raw(), sys::EventLoop::Interest::kRead, [this] { serve(); },
        [this](const Error& why) { events_->sandbox_gone(why.text()); });
    if (!unheard_.empty()) loop.after(std::chrono::milliseconds(0), [this] { act_on_unheard(); });
  }

  void keep_reading(sys::Fd stream) override { static_cast<void>(say(channel_, ask::Drain{}, {stream.raw()})); }
  void signal(int number) override {
    static_cast<void>(say(channel_, ask::Signal{number}));
    expect_reaction();
  }
  void terminate() override {
    static_cast<void>(say(channel_, ask::Terminate{}));
    expect_reaction();
  }
  void kill() override {
    if (!is_running_) return;
    static_cast<void>(say(channel_, ask::Kill{}));
    expect_reaction();
  }

  std::optional<backend::TreeUsage> usage() override {
    if (!is_running_ || !say(channel_, ask::Usage{})) return std::nullopt;
    const auto used = await<tell::Used>();
    if (loop_ != nullptr && !unheard_.empty()) loop_->after(std::chrono::milliseconds(0), [this] { act_on_unheard(); });
    return used ? used->usage : std::nullopt;
  }
  // The session's walls count for all its commands together.
  bool watches(LimitKind kind) const override { return kind == LimitKind::kMemory || kind == LimitKind::kCpuTime; }

  Usage finish(std::vector<std::string>&, std::vector<Denial>& denials) override {
    if (loop_ != nullptr) {
      loop_->remove(channel_.raw());
      if (reaction_) loop_->cancel(*reaction_);
    }
    loop_ = nullptr;
    for (Denial& denial : std::exchange(backend_.denials_, {})) denials.push_back(std::move(denial));
    if (std::exchange(is_running_, false)) {
      static_cast<void>(say(channel_, ask::Kill{}));
      if (const auto ended = await<tell::Ended>()) used_ = ended->usage;
    }
    backend_.look_at("\n");  // the last line may lack its end
    if (!backend_.complaints_.empty() && say(channel_, ask::Judge{std::exchange(backend_.complaints_, {})}))
      if (auto judged = await<tell::Judged>())
        for (Denial& denial : judged->denials) denials.push_back(std::move(denial));
    channel_.close();
    return used_;
  }

 private:
  // The next message of this kind; others are kept for later.
  template <typename Kind>
  std::optional<Kind> await() {
    for (;;) {
      auto heard = hear_within(channel_, kPatience);
      if (!heard) return std::nullopt;
      if (auto* wanted = std::get_if<Kind>(&heard->told)) return std::move(*wanted);
      unheard_.push_back(std::move(heard->told));
    }
  }

  // A session whose process is stopped passes no signal on and ends nothing: the client must not wait for it.
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
    auto heard = hear(channel_);
    if (!heard) {
      loop_->remove(channel_.raw());
      is_running_ = false;
      events_->sandbox_gone(heard.error().text());
      return;
    }
    act_on(heard->told);
  }

  void act_on(Told& told) {
    if (events_ == nullptr) return;
    if (const auto* ended = std::get_if<tell::Ended>(&told)) {
      is_running_ = false;
      used_ = ended->usage;
      events_->command_ended(backend::Ended{ended->wait_status});
    } else if (std::holds_alternative<tell::Stopped>(told)) {
      events_->command_stopped();
    } else if (auto* denied = std::get_if<tell::Denied>(&told)) {
      events_->denied(std::move(denied->denial));
    } else if (auto* breached = std::get_if<tell::Breached>(&told)) {
      events_->breached(std::move(breached->denial), std::move(breached->note));
    } else if (auto* gone = std::get_if<tell::Gone>(&told)) {
      is_running_ = false;
      events_->sandbox_gone(std::move(gone->why));
    }
  }

  void act_on_unheard() {
    for (Told& told : std::exchange(unheard_, {}))
      if (loop_ != nullptr) act_on(told);
  }

  RemoteBackend& backend_;
  Channel channel_;
  std::vector<Coverage> coverage_;
  std::vector<Told> unheard_;
  bool is_running_ = false;
  Usage used_;
  sys::EventLoop* loop_ = nullptr;
  std::optional<sys::EventLoop::TimerId> reaction_;
  backend::SandboxEvents* events_ = nullptr;
};

Result<std::unique_ptr<backend::Sandbox>> RemoteBackend::prepare(const Plan& plan) {
  static_cast<void>(plan);
  PF_TRY(channel, connect(place_, session_), "");
  std::vector<Coverage> coverage;
  if (tell_ == Tell::kCoverage) {
    PF_CHECK(say(channel, ask::Describe{}), "");
    PF_TRY(heard, hear_within(channel, kPatience), "");
    if (auto* described = std::get_if<tell::Described>(&heard.told)) coverage = std::move(described->coverage);
  }
  return std::make_unique<Room>(*this, std::move(channel), std::move(coverage));
}

void RemoteBackend::look_at(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    partial_.append(bytes.substr(0, std::min(end, kLongestLine - partial_.size())));
    if (end == std::string_view::npos) return;
    if (partial_.ends_with('\r')) partial_.pop_back();
    const bool coloured = partial_.find('\x1b') != std::string::npos;
    if (complaints_.size() < kMostComplaints && (coloured || report::read_complaint(partial_)))
      complaints_.push_back(partial_);
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace pinfold::control
