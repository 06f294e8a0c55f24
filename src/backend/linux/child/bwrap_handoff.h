// bwrap_handoff.h: how a first process that somebody else has started finds what it is to do: descriptors with fixed
// numbers, and memory at an address that is written in it. Invariant: PODs; both sides are of one build, or the first
// process refuses. Not here: starting it (exec_fd.h), what it does then (bwrap_entry.cc).
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backend/linux/child/blueprint.h"

namespace pinfold::backend::on_linux::child {

// Descriptors of whoever starts it. The first three are its streams.
inline constexpr int kArgumentsDescriptor = 3;
inline constexpr int kProgramDescriptor = 4;
inline constexpr int kControlDescriptor = 5;
inline constexpr int kMemoryDescriptor = 6;
inline constexpr int kFirstFreeDescriptor = 7;
inline constexpr const char* kProgramPath = "/proc/self/fd/4";
inline constexpr const char* kFirstProcessWord = "pinfold-init";

inline constexpr std::size_t kSharedSize = std::size_t{64} << 20;  // address space; pages come as they are touched

// Lies at the beginning of the memory.
struct Handover {
  char version[32];
  std::uint64_t layout;   // of the structures, which a version under development does not tell
  std::uint64_t address;  // where all of this must be mapped
  rlimit files;           // the caller's own: there may be many descriptors on the way
  Shared shared;
};

inline constexpr std::uint64_t kLayout = sizeof(Handover) * 1000003 + sizeof(Op) * 1009 + sizeof(Blueprint);

inline void sign(Handover& handover) noexcept {
  std::strncpy(handover.version, PINFOLD_VERSION, sizeof handover.version - 1);
  handover.layout = kLayout;
  handover.address = reinterpret_cast<std::uintptr_t>(&handover);
}
inline bool is_ours(const Handover& handover) noexcept {
  return std::strncmp(handover.version, PINFOLD_VERSION, sizeof handover.version) == 0 && handover.layout == kLayout;
}

// At exactly this address, or null.
inline void* map_at(int file, void* address) noexcept {
  void* base = ::mmap(address, kSharedSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
  if (base == address) return base;
  if (base != MAP_FAILED) ::munmap(base, kSharedSize);  // a kernel that takes it as a hint
  return nullptr;
}

// What a namespace is known by; the order of kNamespaceNames.
inline constexpr const char* kNamespaceNames[] = {"user", "mnt", "pid", "ipc", "uts", "net", "cgroup"};
inline constexpr std::size_t kNamespaceCount = sizeof kNamespaceNames / sizeof *kNamespaceNames;
struct Namespaces {
  std::uint64_t inode[kNamespaceCount];  // 0: this kernel has none of that kind
};
Namespaces own_namespaces() noexcept;

// The first thing that it says, with a descriptor of its own process.
struct Here {
  std::int32_t pid;  // as it sees itself
  Namespaces namespaces;
};

}  // namespace pinfold::backend::on_linux::child
