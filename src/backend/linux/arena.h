// arena.h: memory that the supervisor and PID 1 share, for plain data that is written once.
// Invariant: mapped before the clone, hence at one address on both sides; never grows, never frees.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <utility>

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
  static constexpr std::size_t kSize = std::size_t{64} << 20;  // address space; pages come as they are touched
  char* base_ = nullptr;
  std::size_t used_ = 0;
  bool overflowed_ = false;
};

}  // namespace pinfold::backend::on_linux
