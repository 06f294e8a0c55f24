// live_session.h: one sandbox that stays, in a process of its own, and serves commands to whoever asks over the control
// socket. Invariant: it ends with its owner, when asked to, or when its sandbox does; then nothing of it is left: no
// process, no directory, no mount. Not here: one command (supervisor, control), the process around it (cli).
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
#include "pinfold/plan.h"
#include "pinfold/question.h"
#include "pinfold/report.h"
#include "supervisor/choose.h"
#include "supervisor/network.h"
#include "sys/event_loop.h"

namespace pinfold::session {

struct Opening {
  const Plan* plan = nullptr;
  std::vector<backend::Backend*> candidates;
  std::string name;       // empty: its id
  std::string workspace;  // to be shown
  sys::Fd owner;          // a pidfd; closed: nobody, it stays until it is stopped
  Decider* decider = nullptr;
  std::function<void(const GapQuestion&)> warn;
};

class LiveSession final : private control::Session, private backend::SandboxEvents {
 public:
  LiveSession(Opening opening, sys::EventLoop& loop, HostView& host)
      : opening_(std::move(opening)), loop_(loop), host_(host) {}
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;
  ~LiveSession() override;

  // Raises the walls, exactly as for a run, and takes a place. False: `report` says why not.
  bool open(Report& report);
  const control::Entry& entry() const { return seat_->entry(); }
  // From the place being taken on clients can connect; returns when the session is over and all of it is gone.
  void serve();

 private:
  const Plan& plan() const override { return *opening_.plan; }
  std::string_view backend() const override { return choice_->name(); }
  Result<std::unique_ptr<backend::Sandbox>> open_room() override { return choice_->sandbox()->open_room(); }
  void keep_reading(sys::Fd stream) override { choice_->sandbox()->keep_reading(std::move(stream)); }
  control::tell::Described describe() const override;
  void stop() override { end("the session was stopped"); }
  bool is_denied(Denial& seen) const override { return !network_ || network_->is_denied(seen); }
  void lost_keeper() override { end("a command did away with the process that kept it"); }

  // What nobody asked for over a connection: of what commands have left behind.
  void command_ended(const backend::Ended& ended) override { static_cast<void>(ended); }
  void command_stopped() override {}
  void denied(Denial denial) override;
  void breached(Denial denial, std::string note) override;
  void sandbox_gone(std::string why) override { end("the sandbox ended: " + why); }

  Result<void> start_serving();
  Result<void> start_network();
  void end(std::string why);

  Opening opening_;
  sys::EventLoop& loop_;
  HostView& host_;
  std::optional<supervisor::Choice> choice_;
  std::optional<supervisor::NetworkByName> network_;
  std::optional<control::Seat> seat_;
  std::optional<control::Server> server_;
  sys::Fd signals_;
  std::int64_t started_at_ = 0;
  std::string over_;  // why it ends
};

}  // namespace pinfold::session
