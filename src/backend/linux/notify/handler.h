// handler.h: the interface of the handlers that respond to trapped system calls.
#pragma once

#include <linux/seccomp.h>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

class CallHandler {
 public:
  virtual ~CallHandler() = default;
  // True: this handler has responded to the call.
  virtual bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) = 0;
};

}  // namespace pinfold::backend::on_linux
