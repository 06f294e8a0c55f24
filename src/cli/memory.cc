// memory.cc: madvise(MADV_DONTNEED) on this program's read-only segments: code and constants.
#include "cli/memory.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

// The ELF header at the program's start; the linker defines the symbol.
extern "C" {
extern const ElfW(Ehdr) __ehdr_start;  // NOLINT(bugprone-reserved-identifier): the linker's name
}

namespace pinfold::cli {

void release_startup_memory() {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const char* first = reinterpret_cast<const char*>(&__ehdr_start);
  const auto* parts = reinterpret_cast<const ElfW(Phdr)*>(first + __ehdr_start.e_phoff);
  // In a position-independent program (ET_DYN) segment addresses are relative to the header; otherwise absolute.
  const std::uintptr_t origin = __ehdr_start.e_type == ET_DYN ? 0 : reinterpret_cast<std::uintptr_t>(first);
  for (int i = 0; i < __ehdr_start.e_phnum; ++i) {
    if (parts[i].p_type != PT_LOAD || (parts[i].p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (parts[i].p_vaddr - origin) / page * page;
    const std::uintptr_t end = (parts[i].p_vaddr - origin + parts[i].p_memsz) / page * page;
    // The kernel maps a dropped page from the file again on the next access.
    if (begin < end) ::madvise(const_cast<char*>(first) + begin, end - begin, MADV_DONTNEED);
  }
  ::malloc_trim(0);
}

}  // namespace pinfold::cli
