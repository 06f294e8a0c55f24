// live_session.h: a session: one sandbox in a process of its own that runs commands for clients of the control socket.
// Invariant: it ends with its owner, on request, by a signal, or with its sandbox, and leaves no process, directory or
// mount behind. Not here: one command (supervisor, control), starting the process (cli).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/host_view.h"
#include "control/runtime_dir.h"
#include "control/server.h"
#include "pinfold/approval.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"
#include "supervisor/choose.h"
#include "supervisor/network.h"
#include "sys/event_loop.h"

namespace pinfold::session {

struct SessionOptions {
  const Plan* plan = nullptr;
  std::vector<backend::Backend*> candidates;
  std::string name;       // empty: its id
  std::string workspace;  // for display
  sys::Fd owner;          // a pidfd; not open: the session has no owner and runs until it is stopped
  Decider* decider = nullptr;
  std::function<void(const GapRequest&)> warn;
};

class LiveSession final : private control::Session, private backend::SandboxEvents {
 public:
  LiveSession(SessionOptions options, sys::EventLoop& loop, HostView& host)
      : options_(std::move(options)), loop_(loop), host_(host) {}
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;
  ~LiveSession() override;

  // Makes the sandbox as for a run, and the session directory. False: the reason is in `report`.
  bool open(Report& report);
  const control::SandboxEntry& entry() const { return directory_->entry(); }
  // Serves clients, which can connect since open(); returns when the session has ended.
  void serve();

 private:
  const Plan& plan() const override { return *options_.plan; }
  std::string_view backend() const override { return choice_->name(); }
  Result<std::unique_ptr<backend::Sandbox>> open_command_sandbox() override {
    return choice_->sandbox()->open_command_sandbox();
  }
  void keep_reading(sys::Fd stream) override { choice_->sandbox()->keep_reading(std::move(stream)); }
  control::event::Description describe() const override;
  void stop() override { end("the session was stopped"); }
  bool is_denied(Denial& seen) const override { return !network_ || network_->is_denied(seen); }
  void command_supervisor_killed() override { end("a sandboxed process killed a command's supervisor"); }

  // Events of processes that commands have left running.
  void command_ended(const backend::CommandExit& ended) override { static_cast<void>(ended); }
  void command_stopped() override {}
  void denied(Denial denial) override;
  void breached(Denial denial, std::string note) override;
  void sandbox_gone(std::string why) override { end("the sandbox ended: " + why); }

  Result<void> start_serving();
  Result<void> start_network();
  void end(std::string why);

  SessionOptions options_;
  sys::EventLoop& loop_;
  HostView& host_;
  std::optional<supervisor::Choice> choice_;
  std::optional<supervisor::NetworkByName> network_;
  std::optional<control::SessionDir> directory_;
  std::optional<control::Server> server_;
  sys::Fd signals_;
  std::int64_t started_at_ = 0;
  std::string end_reason_;  // empty: it runs
};

}  // namespace pinfold::session
