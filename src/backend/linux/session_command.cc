// session_command.cc: talks to whoever keeps the command.
#include "backend/linux/session_command.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "backend/linux/init/failure.h"
#include "backend/linux/limits/limits.h"
#include "backend/linux/init/stdio_handoff.h"
#include "backend/linux/limits/tree_usage.h"
#include "base/try.h"

namespace pinfold::backend::on_linux {
namespace {

using child::Ask;
using child::Tell;
using child::Told;

// A tree is ended by walking it; one that does not end by then hangs in the kernel.
constexpr int kEndPatience = 10'000;  // milliseconds

class KeptCommand final : public Sandbox {
 public:
  KeptCommand(CommandHost& host, Line line) : host_(host), line_(std::move(line)) {}
  KeptCommand(const KeptCommand&) = delete;
  KeptCommand& operator=(const KeptCommand&) = delete;
  ~KeptCommand() override {
    std::vector<std::string> notes;
    std::vector<Denial> denials;
    finish(notes, denials);
    host_.expect_another();
  }

  const std::vector<Coverage>& coverage() const override { return host_.all_coverage(); }

  Result<Started> start(const Launch& wanted) override {
    PF_TRY(launch, handed_.take(wanted, host_.plan()), "");
    PF_CHECK(line_.ask(Ask::kRun, launch, host_.variables(), host_.is_trapped()), "");
    for (bool is_kept = false;;) {
      auto heard = line_.hear();
      // The command was quicker than its keeper, and has done away with it: serve() finds out.
      if (!heard && is_kept) return Started{};
      if (!heard)
        return fail(ErrorKind::kSystem, "the sandbox has no room for another process",
                    "end some of what runs in it, or give it more with --processes");
      const Told told = *heard;
      is_kept = is_kept || told.tell == Tell::kKept;
      if (told.tell == Tell::kFailed) return tl::unexpected<Error>(explain(told.failure, host_.walls(), launch));
      if (told.tell != Tell::kStarted) continue;
      if (told.value != host_.landlock_abi()) return fail(ErrorKind::kSystem, "Landlock did not come up as announced");
      keeper_ = static_cast<pid_t>(told.extra);
      return Started{std::move(line_.terminal)};
    }
  }

  void keep_reading(sys::Fd stream) override { host_.read_on(std::move(stream)); }

  void attach(sys::EventLoop& loop, SandboxEvents& events) override {
    loop_ = &loop;
    events_ = &events;
    loop.add_or_report(
        line_.raw(), sys::EventLoop::Interest::kRead, [this] { serve(); },
        [this](const Error& why) { events_->sandbox_gone(why.text()); });
    if (line_.listener.is_open()) host_.take_calls(std::move(line_.listener), events);
  }

  void signal(int number) override { line_.tell(Ask::kSignal, number); }
  void terminate() override {
    line_.tell(Ask::kSignalAll, SIGTERM);
    line_.tell(Ask::kSignalAll, SIGCONT);
  }
  void kill() override {
    was_killed_ = true;
    line_.stop_asking();
  }

  std::optional<TreeUsage> usage() override {
    return line_.proc.is_open() && keeper_ > 0 ? meter_.read(line_.proc.raw(), keeper_) : std::nullopt;
  }
  // The walls count for all commands together.
  bool watches(LimitKind kind) const override { return limit_is_watched(kind); }

  Usage finish(std::vector<std::string>&, std::vector<Denial>&) override {
    if (loop_ != nullptr) {
      host_.leave(*events_);
      loop_->remove(line_.raw());
      loop_ = nullptr;
    }
    line_.listener.reset();  // whoever waits for an answer is let go
    if (line_.is_open()) {
      if (!has_ended_) line_.stop_asking();
      for (pollfd state{line_.raw(), POLLIN, 0}; !has_ended_ && ::poll(&state, 1, kEndPatience) > 0;) {
        auto told = line_.hear();
        if (!told) break;
        note(*told);
      }
      line_.close();
    }
    handed_.give_back();
    used_.processes = std::max<std::uint64_t>(used_.processes, 1);
    return used_;
  }

 private:
  void note(const Told& told) {
    if (told.tell != Tell::kEnded && told.tell != Tell::kUsed) return;
    used_.processes = static_cast<std::uint64_t>(std::max<std::int64_t>(told.extra, 1));
    used_.cpu = std::chrono::microseconds(told.cpu);
    used_.peak_memory = static_cast<std::uint64_t>(told.memory);
  }

  void serve() {
    auto told = line_.hear();
    if (!told) {
      loop_->remove(line_.raw());
      if (std::exchange(has_ended_, true)) return;
      // What was killed has ended with its tree; otherwise somebody has done away with whoever kept the command.
      if (was_killed_)
        events_->command_ended(Ended{SIGKILL});
      else
        events_->sandbox_gone("somebody inside did away with the process that kept it, and the session ends with it");
      return;
    }
    note(*told);
    if (told->tell == Tell::kStopped) events_->command_stopped();
    if (told->tell != Tell::kEnded) return;
    has_ended_ = true;
    events_->command_ended(Ended{static_cast<int>(told->value)});
  }

  CommandHost& host_;
  Line line_;
  HandedStreams handed_;
  TreeMeter meter_;
  pid_t keeper_ = -1;
  Usage used_;
  bool has_ended_ = false;
  bool was_killed_ = false;
  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Sandbox>> keep_command(CommandHost& host) {
  PF_TRY(line, host.open_line(), "");
  return std::make_unique<KeptCommand>(host, std::move(line));
}

}  // namespace pinfold::backend::on_linux
