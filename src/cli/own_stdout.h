// own_stdout.h: reserves stdout for Pinfold's own output while a command runs.
// Invariant: after reserve(), descriptor 1 is stderr; write() writes to the original stdout.
// Not here: the text that is written.
#pragma once

#include <string_view>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::cli {

class ReservedStdout {
 public:
  static Result<ReservedStdout> reserve();
  void write(std::string_view text) const;

 private:
  explicit ReservedStdout(sys::Fd reserved) : stdout_(std::move(reserved)) {}
  sys::Fd stdout_;
};

}  // namespace pinfold::cli
