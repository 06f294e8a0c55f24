// request.cc: maps the argument block of protocol.h and turns its offsets into pointers.
#include "backend/linux/child/request.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>

namespace pinfold::backend::on_linux::child {

bool Request::map_arguments(CommandStart& start) noexcept {
  struct stat info {};
  if (count < 1 || ::fstat(fds[0], &info) != 0) return false;
  block_size = static_cast<std::size_t>(info.st_size);
  void* at = ::mmap(nullptr, block_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[0], 0);
  if (at == MAP_FAILED) return false;
  block = at;
  auto* header = static_cast<ArgumentBlock*>(block);
  auto* bytes = static_cast<char*>(block);
  auto* slots = reinterpret_cast<std::uint64_t*>(header + 1);
  const std::uint64_t total = 1 + header->argc + header->envc + 2;
  for (std::uint64_t i = 0; i < total; ++i)
    if (slots[i] != 0) slots[i] = reinterpret_cast<std::uint64_t>(bytes + slots[i]);
  start.message = &message;
  start.argv = reinterpret_cast<char**>(slots + 1);
  start.environment = reinterpret_cast<char**>(slots + 1 + header->argc + 1);
  start.search_path = header->path != 0 ? bytes + header->path : nullptr;
  start.working_dir = header->working_dir != 0 ? bytes + header->working_dir : start.frame->working_dir;
  return true;
}

void Request::assign_stdio(CommandStart& start, int terminal) const noexcept {
  std::size_t next = 1;
  for (int i = 0; i < 3; ++i)
    start.stdio[i] = (message.terminal_mask & (1 << i)) != 0 ? terminal : (next < count ? fds[next++] : -1);
  start.terminal = terminal;
}

void Request::unmap() noexcept {
  if (block != nullptr) ::munmap(block, block_size);
  block = nullptr;
}

}  // namespace pinfold::backend::on_linux::child
