// exec_fd.h: from a fork of the supervisor to another program, with exactly the descriptors that it is to have.
// Invariant: between clone and exec: no allocation. Not here: which program, and why.
#pragma once

#include <cstddef>

namespace pinfold::backend::on_linux::child {

struct Becoming {
  int program;        // executed by descriptor: what was judged is what runs
  char* const* argv;  // its environment is empty
  int* descriptors;   // these become 0, 1, 2 …; the array is written to
  std::size_t count;
  std::size_t copies;  // so many more of descriptor 0 follow
  int gate;            // a byte from here lets us go on, its end means that nobody is there any more
};

// All signals are blocked by now, and stay so: what a terminal sends to the caller is not for the one that we become.
[[noreturn]] void become(const Becoming& becoming) noexcept;

}  // namespace pinfold::backend::on_linux::child
