// stdio_handoff.h: the descriptors that the command gets for the caller's standard streams.
// Invariant: passes no directory and no block device; a regular file that the caller opened for reading, and that the
// policy makes read-only, cannot be changed through its descriptor either.
// Not here: terminals and pipes in between (supervisor).
#pragma once

#include <array>

#include "backend/backend.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class StdioHandoff {
 public:
  // Returns the launch with the descriptors to pass; they stay open here until restore_offsets().
  Result<Launch> prepare(const Launch& launch, const Plan& plan);
  // Sets the offsets of the caller's descriptors to where the command stopped reading.
  void restore_offsets();

 private:
  struct StreamPair {
    sys::Fd own;
    sys::Fd copy;
  };
  std::array<StreamPair, 3> pairs_;
};

// The same file, opened for reading through a read-only mount of its own, at the same offset. Not open if that fails:
// mount calls are refused, or the file has no name any more.
sys::Fd reopen_read_only(int fd);

}  // namespace pinfold::backend::on_linux
