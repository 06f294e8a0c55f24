// memory.cc: madvise on what of this program is mapped from its file and never written to: code, and constants.
#include "cli/memory.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

// The program's own first page, named by the linker.
extern "C" {
extern const ElfW(Ehdr) __ehdr_start;  // NOLINT(bugprone-reserved-identifier): the linker's name
}

namespace pinfold::cli {

void release_what_was_for_starting() {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(&__ehdr_start);
  const auto* parts = reinterpret_cast<const ElfW(Phdr)*>(start + __ehdr_start.e_phoff);
  const std::uintptr_t moved_by = __ehdr_start.e_type == ET_DYN ? start : 0;
  for (int i = 0; i < __ehdr_start.e_phnum; ++i) {
    if (parts[i].p_type != PT_LOAD || (parts[i].p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = moved_by + parts[i].p_vaddr / page * page;
    const std::uintptr_t end = (moved_by + parts[i].p_vaddr + parts[i].p_memsz) / page * page;
    // Dropped pages come back from the file.
    if (begin < end)
      ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // NOLINT(performance-no-int-to-ptr)
  }
  ::malloc_trim(0);
}

}  // namespace pinfold::cli
