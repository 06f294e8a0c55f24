// init_channel.h: the supervisor's end of the control socket of an init or a command init.
// Invariant: owns the descriptors that come with an event.
// Not here: the meaning of the messages (sandbox.cc, session_command.cc), the other end (child/init.cc).
#pragma once

#include <string>

#include "backend/backend.h"
#include "backend/linux/child/protocol.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class InitChannel {
 public:
  InitChannel() = default;
  explicit InitChannel(sys::Fd control) : control_(std::move(control)) {}

  bool is_open() const { return control_.is_open(); }
  int raw() const { return control_.raw(); }
  void close() { control_.reset(); }
  // Sends no more requests; remaining events can still be received.
  void close_requests();

  // Sends a request that init answers with an event.
  Result<void> request(const child::RequestMessage& message, const int* fds, std::size_t count);
  // kRun or kRehearse. `trap`: with a listener.
  Result<void> request(child::RequestKind what, const Launch& launch, const Environment* environment, bool trap);
  void post(child::RequestKind what, int value);
  // The next event; its descriptors are stored in the members below.
  Result<child::EventMessage> receive();

  sys::Fd proc;
  sys::Fd listener;
  sys::Fd terminal;
  sys::Fd socket;
  sys::Fd user;  // the sandbox's namespaces
  sys::Fd mounts;

 private:
  sys::Fd control_;
};

}  // namespace pinfold::backend::on_linux
