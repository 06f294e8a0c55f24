// init_channel.h: our end of the conversation with the first process, or with whoever keeps one command for it.
// Invariant: descriptors that come with a message are ours from then on.
// Not here: what the messages are about (sandbox.cc, session_command.cc), the other end (child/init.cc).
#pragma once

#include <string>

#include "backend/backend.h"
#include "backend/linux/child/protocol.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class Line {
 public:
  Line() = default;
  explicit Line(sys::Fd control) : control_(std::move(control)) {}

  bool is_open() const { return control_.is_open(); }
  int raw() const { return control_.raw(); }
  void close() { control_.reset(); }
  // Nothing more will be asked; what the other side still has to say can be heard.
  void stop_asking();

  // Asks for something that will be answered.
  Result<void> ask(const child::Asked& asked, const int* fds, std::size_t count);
  // kRun or kRehearse. `trap`: with a listener.
  Result<void> ask(child::Ask what, const Launch& launch, const Environment* environment, bool trap);
  void tell(child::Ask what, int value);
  // The next message; what came with it is below.
  Result<child::Told> hear();

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
