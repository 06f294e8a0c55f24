// arena.h: memory that supervisor and init share, for plain data that is written once.
// Invariant: mapped at one address in both: before the clone, or at the address that the handoff names; never grows,
// never frees.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <utility>

#include "backend/linux/child/bwrap_handoff.h"
#include "pinfold/result.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), used_(other.used_), overflowed_(other.overflowed_) {}
  Arena& operator=(Arena&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(used_, other.used_);
    std::swap(overflowed_, other.overflowed_);
    return *this;
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    if (base_ != nullptr) ::munmap(base_, kSize);
  }

  static Result<Arena> create() {
    Arena arena;
    void* base = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return tl::unexpected<Error>(sys::os_error("mmap", "shared memory", errno));
    arena.base_ = static_cast<char*>(base);
    return arena;
  }

  // The same in a memfd that another program maps at the same address. One process may have several, each at the next
  // free slot.
  static Result<Arena> create_in(int file) {
    if (const int error = grow(file); error == EFBIG)
      return fail(ErrorKind::kUnavailable,
                  "the hard limit on the size of files (ulimit -Hf) is below the 64 MiB of memory "
                  "that is shared with the sandbox's init");
    else if (error != 0)
      return tl::unexpected<Error>(sys::os_error("ftruncate", "shared memory", error));
    for (std::uintptr_t slot = 0; slot < kSlots; ++slot) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      if (void* base = child::map_at(file, reinterpret_cast<void*>(kFirstSlot + slot * kSize)); base != nullptr) {
        Arena arena;
        arena.base_ = static_cast<char*>(base);
        return arena;
      }
    }
    return fail(ErrorKind::kUnavailable, "no free address for the memory that is shared with the sandbox's init");
  }

  // A copy of `count` values; null when the arena is full.
  template <typename T>
  T* copy(const T* from, std::size_t count) {
    std::size_t start = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    if (start + sizeof(T) * count > kSize) {
      overflowed_ = true;
      return nullptr;
    }
    used_ = start + sizeof(T) * count;
    if (count > 0) std::memcpy(base_ + start, from, sizeof(T) * count);
    return reinterpret_cast<T*>(base_ + start);
  }
  const char* copy(const char* text) { return text == nullptr ? nullptr : copy(text, std::strlen(text) + 1); }
  bool overflowed() const { return overflowed_; }

 private:
  // RLIMIT_FSIZE also limits memory files, and the kernel's SIGXFSZ would kill the supervisor: this call raises the
  // soft limit to the hard one, blocks the signal and consumes it. Returns an errno.
  static int grow(int file) {
    sigset_t signal;
    sigset_t before;
    ::sigemptyset(&signal);
    ::sigaddset(&signal, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal, &before);
    rlimit limit{};
    const bool limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != limit.rlim_max;
    const rlimit widest{limit.rlim_max, limit.rlim_max};
    if (limited) ::setrlimit(RLIMIT_FSIZE, &widest);
    const int error = ::ftruncate(file, kSize) == 0 ? 0 : errno;
    if (limited) ::setrlimit(RLIMIT_FSIZE, &limit);
    const timespec none{};
    if (error == EFBIG) ::sigtimedwait(&signal, nullptr, &none);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error;
  }

  // address space only: the kernel allocates pages on first access
  static constexpr std::size_t kSize = child::kSharedSize;
  // Far from the addresses of programs, heaps, libraries and stacks.
  static constexpr std::uintptr_t kFirstSlot = 0x600000000000;
  static constexpr std::uintptr_t kSlots = 4096;
  char* base_ = nullptr;
  std::size_t used_ = 0;
  bool overflowed_ = false;
};

}  // namespace pinfold::backend::on_linux
