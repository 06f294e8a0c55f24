// broadcaster.h: sends the events of an approval queue to the clients that watch the control socket.
// Invariant: registered with the queue from construction to destruction; decides nothing.
// Not here: the socket (control/server.h), the queue (approval_queue.h).
#pragma once

#include <vector>

#include "control/server.h"
#include "session/approval_queue.h"

namespace pinfold::session {

class Broadcaster final : public ApprovalUi {
 public:
  Broadcaster(ApprovalQueue& queue, control::Server& server) : queue_(queue), server_(server) { queue_.add_ui(*this); }
  Broadcaster(const Broadcaster&) = delete;
  Broadcaster& operator=(const Broadcaster&) = delete;
  ~Broadcaster() override { queue_.remove_ui(*this); }

  void requested(const ApprovalRequest& request) override {
    server_.notify_watchers(control::event::PendingRequest{request});
  }
  void settled(const ApprovalRequest& request, std::optional<ApprovalDecision> decision) override {
    server_.notify_watchers(control::event::RequestEnd{request.id, decision});
  }
  void denied(const Denial& denial) override { server_.notify_watchers(control::event::AccessDenial{denial}); }
  void connected(const Connection& connection) override {
    server_.notify_watchers(control::event::ConnectionEnd{connection});
  }
  void grants_changed() override;

 private:
  ApprovalQueue& queue_;
  control::Server& server_;
};

// The live grants in the form of the control protocol.
std::vector<control::GrantInForce> grants_in_force(const ApprovalQueue& queue);

}  // namespace pinfold::session
