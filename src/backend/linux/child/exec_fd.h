// exec_fd.h: from a fork of the supervisor to another program, with exactly the listed descriptors.
// Invariant: no allocation between clone and exec.
// Not here: choosing the program.
#pragma once

#include <cstddef>

namespace pinfold::backend::on_linux::child {

struct ExecSetup {
  int program;        // executed by descriptor, so that the checked file is the one that runs
  char* const* argv;  // the environment is empty
  int* descriptors;   // these become 0, 1, 2 …; the array is written to
  std::size_t count;
  std::size_t extra_copies;  // this many more of descriptor 0 follow
  int gate;                  // a byte from here allows the exec; end of file means that the supervisor has exited
};

// All signals are blocked by now, and stay so: signals that a terminal sends to the caller must not reach the new
// program.
[[noreturn]] void exec_fd(const ExecSetup& setup) noexcept;

}  // namespace pinfold::backend::on_linux::child
