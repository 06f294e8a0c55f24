// handler.h: the interface of the handlers that respond to trapped system calls.
#pragma once

#include <linux/seccomp.h>

#include <string>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

class CallHandler {
 public:
  virtual ~CallHandler() = default;
  // True: this handler has responded to the call.
  virtual bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) = 0;
  // Called right before the call continues in the kernel, by the handler or the listener that lets it continue.
  virtual void before_continue(const seccomp_notif&) {}
};

// The handler that refuses to make protected names. Handlers behind it hold calls, continue them later, or perform
// them.
class CreationGuard : public CallHandler {
 public:
  // The supervisor is about to make this name for a caller. False: the name is protected.
  virtual bool may_make(int directory, const std::string& name) = 0;
  // The supervisor has made it.
  virtual void record_made(int directory, const std::string& name) = 0;
};

}  // namespace pinfold::backend::on_linux
