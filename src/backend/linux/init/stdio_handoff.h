// stdio_handoff.h: what the command gets for the caller's standard streams.
// Invariant: no descriptor crosses that leads to other files (a directory), or to a whole disk; a file that the caller
// opened for reading, and that the policy does not let be written, cannot be changed through it either.
// Not here: terminals and pipes between (supervisor).
#pragma once

#include <array>

#include "backend/backend.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class HandedStreams {
 public:
  // The launch with the descriptors that may be handed over; kept open here until give_back().
  Result<Launch> take(const Launch& launch, const Plan& plan);
  // The caller's own descriptors go on where the command stopped reading.
  void give_back();

 private:
  struct Pair {
    sys::Fd own;
    sys::Fd twin;
  };
  std::array<Pair, 3> pairs_;
};

// The same file, opened for reading through a mount of its own that is read-only, at the same offset. Nothing where
// that cannot be made: no mount calls, or a file that has no name any more.
sys::Fd read_only_twin(int fd);

}  // namespace pinfold::backend::on_linux
