// client.cc: asks, waits, and passes on what the session tells.
#include "control/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/try.h"
#include "report/complaint.h"

namespace pinfold::control {
namespace {

constexpr std::size_t kMostComplaints = 200;
constexpr std::size_t kLongestLine = 4096;
constexpr int kEndPatience = 15'000;  // milliseconds: what does not end by then hangs in the kernel

Result<Channel> connect(Place& place, const std::string& name) {
  if (auto fd = place.connect(name)) return Channel(std::move(*fd));
  PF_TRY(entry, place.find(name), "");  // tells what is wrong, or knows the whole name
  if (auto fd = place.connect(entry.id)) return Channel(std::move(*fd));
  return fail(ErrorKind::kSystem, "the session " + entry.name + " does not answer: it is being started, or just ended",
              "see: pinfold session list");
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

sys::Fd keeper_of(const Channel& channel) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(channel.raw(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return {};
  return sys::Fd::adopt(static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0)));
}

Result<void> say(Channel& channel, const Asked& asked, const std::vector<int>& fds = {}) {
  PF_TRY(sent, channel.send(to_text(asked), fds, Wait::kBlock), "the session has ended");
  static_cast<void>(sent);
  return {};
}

// One question, and the one answer that is meant for it.
template <typename Kind>
Result<Kind> ask_once(const Place& place, const std::string& name, const Asked& asked) {
  auto fd = place.connect(name);
  if (!fd) return fail(ErrorKind::kNotFound, "it does not answer");
  Channel channel(std::move(*fd));
  PF_CHECK(say(channel, asked), "");
  if (pollfd state{channel.raw(), POLLIN, 0}; ::poll(&state, 1, kEndPatience) == 0)
    return fail(ErrorKind::kUnavailable, "it does not answer: its process may be stopped");
  PF_TRY(heard, hear(channel), "");
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
  auto fd = place.connect(name);
  if (!fd) return fail(ErrorKind::kNotFound, "it does not answer");
  Watch watch{Channel(std::move(*fd))};
  PF_CHECK(say(watch.channel_, ask::Describe{}), "");
  PF_CHECK(say(watch.channel_, ask::Watch{}), "");
  return watch;
}

Result<Told> Watch::next() {
  PF_TRY(heard, hear(channel_), "");
  return std::move(heard.told);
}

Result<void> stop(const Place& place, const std::string& name) {
  auto fd = place.connect(name);
  if (!fd) return fail(ErrorKind::kNotFound, "the session " + name + " does not answer");
  Channel channel(std::move(*fd));
  const sys::Fd keeper = keeper_of(channel);
  PF_CHECK(say(channel, ask::Stop{}), "");
  while (auto heard = hear(channel))
    if (auto* failed = std::get_if<tell::Failed>(&heard->told)) return tl::unexpected<Error>(std::move(failed->error));
  // Its process has nothing left to do but to end.
  pollfd state{keeper.raw(), POLLIN, 0};
  if (keeper.is_open()) ::poll(&state, 1, kEndPatience);
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
    PF_CHECK(say(channel_, run, fds), "");
    for (;;) {
      PF_TRY(heard, hear(channel_), "");
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
    static_cast<void>(loop.add(channel_.raw(), sys::EventLoop::Interest::kRead, [this] { serve(); }));
    if (!unheard_.empty()) loop.after(std::chrono::milliseconds(0), [this] { act_on_unheard(); });
  }

  void keep_reading(sys::Fd stream) override { static_cast<void>(say(channel_, ask::Drain{}, {stream.raw()})); }
  void signal(int number) override { static_cast<void>(say(channel_, ask::Signal{number})); }
  void terminate() override { static_cast<void>(say(channel_, ask::Terminate{})); }
  void kill() override {
    if (is_running_) static_cast<void>(say(channel_, ask::Kill{}));
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
    if (loop_ != nullptr) loop_->remove(channel_.raw());
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
    for (pollfd state{channel_.raw(), POLLIN, 0}; ::poll(&state, 1, kEndPatience) > 0;) {
      auto heard = hear(channel_);
      if (!heard) return std::nullopt;
      if (auto* wanted = std::get_if<Kind>(&heard->told)) return std::move(*wanted);
      unheard_.push_back(std::move(heard->told));
    }
    return std::nullopt;
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
  backend::SandboxEvents* events_ = nullptr;
};

Result<std::unique_ptr<backend::Sandbox>> RemoteBackend::prepare(const Plan& plan) {
  static_cast<void>(plan);
  PF_TRY(channel, connect(place_, session_), "");
  std::vector<Coverage> coverage;
  if (tell_ == Tell::kCoverage) {
    PF_CHECK(say(channel, ask::Describe{}), "");
    PF_TRY(heard, hear(channel), "");
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
