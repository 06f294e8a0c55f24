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
  const char* first = reinterpret_cast<const char*>(&__ehdr_start);
  const auto* parts = reinterpret_cast<const ElfW(Phdr)*>(first + __ehdr_start.e_phoff);
  // Addresses in the file are from here on, or where the program stands in fixed places, from 0.
  const std::uintptr_t origin = __ehdr_start.e_type == ET_DYN ? 0 : reinterpret_cast<std::uintptr_t>(first);
  for (int i = 0; i < __ehdr_start.e_phnum; ++i) {
    if (parts[i].p_type != PT_LOAD || (parts[i].p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (parts[i].p_vaddr - origin) / page * page;
    const std::uintptr_t end = (parts[i].p_vaddr - origin + parts[i].p_memsz) / page * page;
    // Dropped pages come back from the file.
    if (begin < end) ::madvise(const_cast<char*>(first) + begin, end - begin, MADV_DONTNEED);
  }
  ::malloc_trim(0);
}

}  // namespace pinfold::cli
