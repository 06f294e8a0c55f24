// broadcaster.cc: sends the list of live grants.
#include "session/broadcaster.h"

#include <chrono>

namespace pinfold::session {

std::vector<control::GrantInForce> grants_in_force(const ApprovalQueue& queue) {
  std::vector<control::GrantInForce> out;
  for (const LiveGrant& each : queue.grants())
    out.push_back({each.id, each.grant, each.decision, std::chrono::system_clock::to_time_t(each.since)});
  return out;
}

void Broadcaster::grants_changed() { server_.notify_watchers(control::event::Grants{grants_in_force(queue_)}); }

}  // namespace pinfold::session
