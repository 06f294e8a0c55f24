// live_approvals.cc: a place, a socket, and a board behind it.
#include "session/live_approvals.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/try.h"

namespace pinfold::session {

LiveBoard::LiveBoard(Board& board, Description description, control::Seat seat)
    : board_(board),
      description_(std::move(description)),
      started_at_(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())),
      seat_(std::move(seat)) {}

Result<std::unique_ptr<LiveBoard>> LiveBoard::open(Board& board, Description description, sys::EventLoop& loop,
                                                   HostView& host) {
  PF_TRY(place, control::Place::open(host), "");
  PF_TRY(seat, control::Seat::take(std::move(place), "", control::SandboxKind::kRun), "");
  std::unique_ptr<LiveBoard> live(new LiveBoard(board, std::move(description), std::move(seat)));
  PF_TRY(listening, live->seat_.listen(), "");
  live->server_.emplace(loop, std::move(listening), static_cast<control::Session&>(*live), host);
  PF_CHECK(live->server_->start(), "");
  live->onlookers_.emplace(board, *live->server_);
  return live;
}

Result<void> LiveBoard::takes_commands() const {
  return fail(ErrorKind::kInvalid, id() + " is one command's own sandbox, not a session: nothing else can be run in it",
              "start one for several commands: pinfold session start");
}

Result<std::unique_ptr<backend::Sandbox>> LiveBoard::open_room() {
  return tl::unexpected<Error>(takes_commands().error());
}

control::tell::Described LiveBoard::describe() const {
  control::tell::Described out;
  out.kind = control::SandboxKind::kRun;
  out.argv = description_.argv;
  out.id = out.name = id();
  out.backend = description_.backend;
  out.workspace = description_.workspace;
  out.started_at = started_at_;
  out.commands = 1;
  out.pid = static_cast<std::uint64_t>(::getpid());
  return out;
}

bool LiveBoard::answer(std::uint64_t question, Answer answer) {
  return board_.answer(question, answer, "the web page");
}

}  // namespace pinfold::session
