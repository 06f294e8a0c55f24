// broadcaster.h: passes what happens on a board on to whoever watches over the control socket.
// Invariant: a face of the board from its making to its end; answers nothing by itself.
// Not here: the socket (control/server.h), who answers (approval_queue.h).
#pragma once

#include <vector>

#include "control/server.h"
#include "session/approval_queue.h"

namespace pinfold::session {

class Onlookers final : public Face {
 public:
  Onlookers(Board& board, control::Server& server) : board_(board), server_(server) { board_.join(*this); }
  Onlookers(const Onlookers&) = delete;
  Onlookers& operator=(const Onlookers&) = delete;
  ~Onlookers() override { board_.leave(*this); }

  void asked(const AccessQuestion& question) override { server_.tell_watchers(control::tell::Question{question}); }
  void settled(const AccessQuestion& question, std::optional<Answer> answer) override {
    server_.tell_watchers(control::tell::Settled{question.id, answer});
  }
  void denied(const Denial& denial) override { server_.tell_watchers(control::tell::Denied{denial}); }
  void connected(const Connection& connection) override { server_.tell_watchers(control::tell::Connected{connection}); }
  void grants_changed() override;

 private:
  Board& board_;
  control::Server& server_;
};

// As the control socket tells them.
std::vector<control::GrantInForce> grants_in_force(const Board& board);

}  // namespace pinfold::session
