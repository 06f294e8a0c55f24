// server.h: a sandbox's side of the control socket: each connection is one command's, or watches.
// Invariant: who connects is the same user, and not from inside a sandbox; a connection that ends takes its command's
// tree with it; nobody who does not read or talks nonsense holds the session up. Not here: where the socket is
// (runtime_dir.h), the session's own life (src/session).
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

// The session, as its connections see it.
class Session {
 public:
  virtual ~Session() = default;
  virtual const Plan& plan() const = 0;
  virtual std::string_view backend() const = 0;
  virtual Result<std::unique_ptr<backend::Sandbox>> open_room() = 0;
  virtual void keep_reading(sys::Fd stream) = 0;
  virtual tell::Described describe() const = 0;
  virtual void stop() = 0;
  // A command's keeper was done away with, from inside: what it kept is nobody's any more.
  virtual void lost_keeper() = 0;
  // Of what was seen being tried: is it beyond the rules?
  virtual bool is_denied(Denial& seen) const = 0;
  // Or why no command can be run in it, and it cannot be stopped from outside: it is a run of its own.
  virtual Result<void> takes_commands() const { return {}; }

  // Live questions, where there are any.
  virtual std::vector<AccessQuestion> waiting() const { return {}; }
  virtual std::vector<GrantInForce> grants() const { return {}; }
  virtual bool answer(std::uint64_t question, Answer answer);
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
  // Something was denied, and nobody knows to whom: to all that run.
  void denied(const Denial& denial);
  // To everybody who watches.
  void tell_watchers(const Told& told);
  // Ends every command and tells its client why. Whoever asked for the session's end hears it when this is dropped.
  void end_commands(const std::string& why);

 private:
  class Connection;
  void accept();
  void drop(Connection& connection);

  sys::EventLoop& loop_;
  sys::Fd listening_;
  Session& session_;
  HostView& host_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // for what the loop still has to do when this is dropped
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
};

}  // namespace pinfold::control
