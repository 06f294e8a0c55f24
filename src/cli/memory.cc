// memory.cc: madvise on the program's own text.
#include "cli/memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

// Laid down by the linker around the program's code.
extern "C" {
extern const char __executable_start;  // NOLINT(bugprone-reserved-identifier): the linker's name
extern const char etext;
}

namespace pinfold::cli {

void release_what_was_for_starting() {
  auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto begin = (reinterpret_cast<std::uintptr_t>(&__executable_start) + page - 1) / page * page;
  auto end = reinterpret_cast<std::uintptr_t>(&etext) / page * page;
  // Private and never written to: dropped pages come back from the file.
  if (begin < end)
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // NOLINT(performance-no-int-to-ptr)
  ::malloc_trim(0);
}

}  // namespace pinfold::cli
