// session_command.cc: starts, signals and ends one command of a session through its command init.
#include "backend/linux/session_command.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "backend/linux/init/failure.h"
#include "backend/linux/init/stdio_handoff.h"
#include "backend/linux/limits/limits.h"
#include "backend/linux/limits/tree_usage.h"
#include "base/try.h"

namespace pinfold::backend::on_linux {
namespace {

using child::EventKind;
using child::EventMessage;
using child::RequestKind;

// The command init ends its tree by walking /proc. A process that is still there after this time hangs in the kernel.
constexpr int kEndPatience = 10'000;  // milliseconds

class SessionCommand final : public Sandbox {
 public:
  SessionCommand(CommandHost& host, InitChannel channel) : host_(host), channel_(std::move(channel)) {}
  SessionCommand(const SessionCommand&) = delete;
  SessionCommand& operator=(const SessionCommand&) = delete;
  ~SessionCommand() override {
    std::vector<std::string> notes;
    std::vector<Denial> denials;
    finish(notes, denials);
    host_.prefork_next();
  }

  const std::vector<Coverage>& coverage() const override { return host_.all_coverage(); }

  Result<StartResult> start(const Launch& wanted) override {
    PF_TRY(launch, stdio_.prepare(wanted, host_.plan()));
    PF_CHECK(channel_.request(RequestKind::kRun, launch, host_.variables(), host_.is_trapped()));
    for (bool has_command_init = false;;) {
      auto reply = channel_.receive();
      // The command ran first and killed its command init; serve() reports it.
      if (!reply && has_command_init) return StartResult{};
      if (!reply)
        return fail(ErrorKind::kSystem, "the sandbox reached its process limit",
                    "end a process that runs in it, or raise its limit with --processes");
      const EventMessage event = *reply;
      has_command_init = has_command_init || event.kind == EventKind::kCommandInitReady;
      if (event.kind == EventKind::kFailed)
        return tl::unexpected<Error>(explain(event.failure, host_.lowered(), launch));
      if (event.kind != EventKind::kStarted) continue;
      if (event.value != host_.landlock_abi())
        return fail(ErrorKind::kSystem, "init reports another Landlock ABI than the kernel did");
      command_init_ = static_cast<pid_t>(event.extra);
      return StartResult{std::move(channel_.terminal)};
    }
  }

  void keep_reading(sys::Fd stream) override { host_.drain(std::move(stream)); }

  void attach(sys::EventLoop& loop, SandboxEvents& events) override {
    loop_ = &loop;
    events_ = &events;
    loop.add_or_report(
        channel_.raw(), sys::EventLoop::Interest::kRead, [this] { serve(); },
        [this](const Error& why) { events_->sandbox_gone(why.text()); });
    if (channel_.listener.is_open()) host_.add_listener(std::move(channel_.listener), events);
  }

  void signal(int number) override { channel_.post(RequestKind::kSignal, number); }
  void terminate() override {
    channel_.post(RequestKind::kSignalAll, SIGTERM);
    channel_.post(RequestKind::kSignalAll, SIGCONT);
  }
  void kill() override {
    was_killed_ = true;
    channel_.close_requests();
  }

  std::optional<TreeUsage> usage() override {
    return channel_.proc.is_open() && command_init_ > 0 ? meter_.read(channel_.proc.raw(), command_init_)
                                                        : std::nullopt;
  }
  // The limits of the sandbox count all commands together.
  bool watches(LimitKind kind) const override { return limit_is_watched(kind); }

  Usage finish(std::vector<std::string>&, std::vector<Denial>&) override {
    if (loop_ != nullptr) {
      host_.detach_events(*events_);
      loop_->remove(channel_.raw());
      loop_ = nullptr;
    }
    channel_.listener.reset();  // the kernel ends every call that still waits with ENOSYS
    if (channel_.is_open()) {
      if (!has_ended_) channel_.close_requests();
      for (pollfd state{channel_.raw(), POLLIN, 0}; !has_ended_ && ::poll(&state, 1, kEndPatience) > 0;) {
        auto event = channel_.receive();
        if (!event) break;
        note(*event);
      }
      channel_.close();
    }
    stdio_.restore_offsets();
    used_.processes = std::max<std::uint64_t>(used_.processes, 1);
    return used_;
  }

 private:
  void note(const EventMessage& event) {
    if (event.kind != EventKind::kEnded && event.kind != EventKind::kUsage) return;
    used_.processes = static_cast<std::uint64_t>(std::max<std::int64_t>(event.extra, 1));
    used_.cpu = std::chrono::microseconds(event.cpu);
    used_.peak_memory = static_cast<std::uint64_t>(event.memory);
  }

  void serve() {
    auto event = channel_.receive();
    if (!event) {
      loop_->remove(channel_.raw());
      if (std::exchange(has_ended_, true)) return;
      // After kill() the tree has ended. Otherwise a sandboxed process killed the command init.
      if (was_killed_)
        events_->command_ended(CommandExit{SIGKILL});
      else
        events_->sandbox_gone("a sandboxed process killed the command's supervisor; the session has ended");
      return;
    }
    note(*event);
    if (event->kind == EventKind::kStopped) events_->command_stopped();
    if (event->kind != EventKind::kEnded) return;
    has_ended_ = true;
    events_->command_ended(CommandExit{static_cast<int>(event->value)});
  }

  CommandHost& host_;
  InitChannel channel_;
  StdioHandoff stdio_;
  TreeMeter meter_;
  pid_t command_init_ = -1;
  Usage used_;
  bool has_ended_ = false;
  bool was_killed_ = false;
  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Sandbox>> open_session_command(CommandHost& host) {
  PF_TRY(channel, host.open_channel());
  return std::make_unique<SessionCommand>(host, std::move(channel));
}

}  // namespace pinfold::backend::on_linux
