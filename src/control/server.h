// server.h: the session's side of the control socket: a connection runs one command, sends requests, or watches.
// Invariant: a client is a process of the same user outside of any sandbox; when a connection closes, its command's
// process tree is killed; a client that does not read or sends invalid messages cannot block the session. Not here: the
// path of the socket (runtime_dir.h), the life of the session (src/session).
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/backend.h"
#include "base/host_view.h"
#include "control/channel.h"
#include "control/message.h"

namespace pinfold::control {

// What connections need from a session.
class Session {
 public:
  virtual ~Session() = default;
  virtual const Plan& plan() const = 0;
  virtual std::string_view backend() const = 0;
  virtual Result<std::unique_ptr<backend::Sandbox>> open_command_sandbox() = 0;
  virtual void keep_reading(sys::Fd stream) = 0;
  virtual event::Description describe() const = 0;
  virtual void stop() = 0;
  // A sandboxed process killed a command's supervisor inside the sandbox, so the command's processes cannot be tracked.
  virtual void command_supervisor_killed() = 0;
  // Whether the rules deny an observed call; may add details to it.
  virtual bool is_denied(Denial& seen) const = 0;
  // An error if this is the sandbox of a run, which takes no other commands and no stop request.
  virtual Result<void> takes_commands() const { return {}; }

  // Live approvals, if the sandbox has them.
  virtual std::vector<ApprovalRequest> waiting() const { return {}; }
  virtual std::vector<GrantInForce> grants() const { return {}; }
  virtual bool decide(std::uint64_t request, ApprovalDecision decision);
  virtual Result<void> revoke(std::uint64_t grant);
};

class Server {
 public:
  Server(sys::EventLoop& loop, sys::Fd listening, Session& session, HostView& host);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  Result<void> start();
  std::size_t commands() const;
  // Reports a denial of unknown origin to every client with a running command.
  void denied(const Denial& denial);
  // Sends an event to every watching client.
  void notify_watchers(const Event& event);
  // Ends every command and sends the reason to its client. Clients that requested the session's end get the end of the
  // connection when this object is destroyed.
  void end_commands(const std::string& why);

 private:
  class Connection;
  void accept();
  void drop(Connection& connection);

  sys::EventLoop& loop_;
  sys::Fd listening_;
  Session& session_;
  HostView& host_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // lets pending callbacks of the loop detect the destruction
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
};

}  // namespace pinfold::control
