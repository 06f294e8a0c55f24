// broadcaster.cc: grants, as they are told.
#include "session/broadcaster.h"

#include <chrono>

namespace pinfold::session {

std::vector<control::GrantInForce> grants_in_force(const Board& board) {
  std::vector<control::GrantInForce> out;
  for (const LiveGrant& each : board.grants())
    out.push_back({each.id, each.grant, each.answer, std::chrono::system_clock::to_time_t(each.since)});
  return out;
}

void Onlookers::grants_changed() { server_.tell_watchers(control::tell::Grants{grants_in_force(board_)}); }

}  // namespace pinfold::session
