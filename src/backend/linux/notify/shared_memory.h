// shared_memory.h: can a second thread or process change the caller's memory while a call waits?
// Invariant: answers kPrivate only if the process has one thread, shares its address space with no parent (vfork), and
// the page is private. Not covered: a process that the caller made with clone(CLONE_VM), and writes to /proc/PID/mem.
// Not here: the consequences (protect/guard.cc).
#pragma once

#include <cstddef>
#include <cstdint>

namespace pinfold::backend::on_linux {

enum class CallerMemory { kPrivate, kShared };

// `thread`: the caller, which waits in its call; `size`: of the bytes at `address`.
CallerMemory memory_at(std::uint32_t thread, std::uint64_t address, std::size_t size);

}  // namespace pinfold::backend::on_linux
