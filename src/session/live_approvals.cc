// live_approvals.cc: makes the session directory and serves the approval queue on its socket.
#include "session/live_approvals.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/try.h"

namespace pinfold::session {

LiveApprovals::LiveApprovals(ApprovalQueue& queue, Description description, control::SessionDir directory)
    : queue_(queue),
      description_(std::move(description)),
      started_at_(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())),
      directory_(std::move(directory)) {}

Result<std::unique_ptr<LiveApprovals>> LiveApprovals::open(ApprovalQueue& queue, Description description,
                                                           sys::EventLoop& loop, HostView& host) {
  PF_TRY(runtime, control::RuntimeDir::open(host));
  PF_TRY(directory, control::SessionDir::create(std::move(runtime), "", control::SandboxKind::kRun));
  std::unique_ptr<LiveApprovals> live(new LiveApprovals(queue, std::move(description), std::move(directory)));
  PF_TRY(listening, live->directory_.listen());
  live->server_.emplace(loop, std::move(listening), static_cast<control::Session&>(*live), host);
  PF_CHECK(live->server_->start());
  live->broadcaster_.emplace(queue, *live->server_);
  return live;
}

Result<void> LiveApprovals::takes_commands() const {
  return fail(ErrorKind::kInvalid, id() + " is the sandbox of a run, not a session: it takes no other commands",
              "start one for several commands: pinfold session start");
}

Result<std::unique_ptr<backend::Sandbox>> LiveApprovals::open_command_sandbox() {
  return tl::unexpected<Error>(takes_commands().error());
}

control::event::Description LiveApprovals::describe() const {
  control::event::Description out;
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

bool LiveApprovals::decide(std::uint64_t request, ApprovalDecision decision) {
  return queue_.decide(request, decision, "the web page");
}

}  // namespace pinfold::session
