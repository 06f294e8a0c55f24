// live_approvals.h: offers the approval requests of one run over a control socket, for the web page.
// Invariant: from open() to destruction there is a session directory with a socket; then both are removed. Clients
// cannot run commands over it. Not here: sessions (live_session.h), the page (src/web).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "control/runtime_dir.h"
#include "control/server.h"
#include "session/approval_queue.h"
#include "session/broadcaster.h"
#include "sys/event_loop.h"

namespace pinfold::session {

class LiveApprovals final : private control::Session {
 public:
  struct Description {
    std::vector<std::string> argv;
    std::string workspace;
    std::string backend;
  };
  static Result<std::unique_ptr<LiveApprovals>> open(ApprovalQueue& queue, Description description,
                                                     sys::EventLoop& loop, HostView& host);
  LiveApprovals(const LiveApprovals&) = delete;
  LiveApprovals& operator=(const LiveApprovals&) = delete;

  // The id in the runtime directory.
  const std::string& id() const { return directory_.entry().id; }
  // Called when a backend has been chosen.
  void set_backend(std::string name) { description_.backend = std::move(name); }

 private:
  LiveApprovals(ApprovalQueue& queue, Description description, control::SessionDir directory);

  const Plan& plan() const override { return no_plan_; }
  std::string_view backend() const override { return description_.backend; }
  Result<std::unique_ptr<backend::Sandbox>> open_command_sandbox() override;
  void keep_reading(sys::Fd stream) override { static_cast<void>(stream); }
  control::event::Description describe() const override;
  void stop() override {}
  void command_supervisor_killed() override {}
  bool is_denied(Denial& seen) const override { return static_cast<void>(seen), true; }
  Result<void> takes_commands() const override;
  std::vector<ApprovalRequest> waiting() const override { return queue_.waiting(); }
  std::vector<control::GrantInForce> grants() const override { return grants_in_force(queue_); }
  bool decide(std::uint64_t request, ApprovalDecision decision) override;
  Result<void> revoke(std::uint64_t grant) override { return queue_.revoke(grant); }

  ApprovalQueue& queue_;
  Description description_;
  std::int64_t started_at_ = 0;
  Plan no_plan_;
  control::SessionDir directory_;
  std::optional<control::Server> server_;
  std::optional<Broadcaster> broadcaster_;
};

}  // namespace pinfold::session
