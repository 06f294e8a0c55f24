// own_stdout.h: stdout for our answer alone, while a command that we run prints.
// Invariant: from keep() on, what anybody writes to descriptor 1 goes to stderr; answer() writes to what was stdout.
// Not here: what is answered.
#pragma once

#include <string_view>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::cli {

class OwnStdout {
 public:
  static Result<OwnStdout> keep();
  void answer(std::string_view text) const;

 private:
  explicit OwnStdout(sys::Fd kept) : kept_(std::move(kept)) {}
  sys::Fd kept_;
};

}  // namespace pinfold::cli
