// live_approvals.h: the questions of one run, for whoever connects to its control socket: the web page.
// Invariant: from open() to its end there is a place with a socket; then everything of it is gone. No command can be
// run over it. Not here: a sandbox that stays (live_session.h), the page (src/web).
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

class LiveBoard final : private control::Session {
 public:
  struct Description {
    std::vector<std::string> argv;
    std::string workspace;
    std::string backend;
  };
  static Result<std::unique_ptr<LiveBoard>> open(Board& board, Description description, sys::EventLoop& loop,
                                                 HostView& host);
  LiveBoard(const LiveBoard&) = delete;
  LiveBoard& operator=(const LiveBoard&) = delete;

  // By which others find it.
  const std::string& id() const { return seat_.entry().id; }
  // Known only when one was chosen.
  void set_backend(std::string name) { description_.backend = std::move(name); }

 private:
  LiveBoard(Board& board, Description description, control::Seat seat);

  const Plan& plan() const override { return no_plan_; }
  std::string_view backend() const override { return description_.backend; }
  Result<std::unique_ptr<backend::Sandbox>> open_room() override;
  void keep_reading(sys::Fd stream) override { static_cast<void>(stream); }
  control::tell::Described describe() const override;
  void stop() override {}
  void lost_keeper() override {}
  bool is_denied(Denial& seen) const override { return static_cast<void>(seen), true; }
  Result<void> takes_commands() const override;
  std::vector<AccessQuestion> waiting() const override { return board_.waiting(); }
  std::vector<control::GrantInForce> grants() const override { return grants_in_force(board_); }
  bool answer(std::uint64_t question, Answer answer) override;
  Result<void> revoke(std::uint64_t grant) override { return board_.revoke(grant); }

  Board& board_;
  Description description_;
  std::int64_t started_at_ = 0;
  Plan no_plan_;
  control::Seat seat_;
  std::optional<control::Server> server_;
  std::optional<Onlookers> onlookers_;
};

}  // namespace pinfold::session
