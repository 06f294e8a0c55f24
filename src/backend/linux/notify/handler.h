// handler.h: whoever answers a trapped system call.
#pragma once

#include <linux/seccomp.h>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

class CallAnswerer {
 public:
  virtual ~CallAnswerer() = default;
  // True: the call has got its answer.
  virtual bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) = 0;
};

}  // namespace pinfold::backend::on_linux
