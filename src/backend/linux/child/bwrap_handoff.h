// bwrap_handoff.h: how an init that bubblewrap has started finds its instructions: descriptors with fixed numbers, and
// memory mapped at an address that is written in it.
// Invariant: PODs; both sides are of one build, or init refuses.
// Not here: starting bubblewrap (exec_fd.h), the work of init (bwrap_entry.cc).
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backend/linux/child/blueprint.h"

namespace pinfold::backend::on_linux::child {

// Descriptors that init inherits. The first three are its standard streams.
inline constexpr int kArgumentsDescriptor = 3;
inline constexpr int kProgramDescriptor = 4;
inline constexpr int kControlDescriptor = 5;
inline constexpr int kMemoryDescriptor = 6;
inline constexpr int kFirstFreeDescriptor = 7;
inline constexpr const char* kProgramPath = "/proc/self/fd/4";
inline constexpr const char* kInitArgument = "pinfold-init";

// address space only: the kernel allocates pages on first access
inline constexpr std::size_t kSharedSize = std::size_t{64} << 20;

// At the start of the shared memory.
struct BwrapHandoff {
  char version[32];
  std::uint64_t layout;   // a checksum of the structures: two builds of one version under development may differ in it
  std::uint64_t address;  // at which both processes must map this memory
  rlimit files;           // the caller's own limit: bubblewrap may need many descriptors during the start
  SharedBlock shared;
};

inline constexpr std::uint64_t kLayout = sizeof(BwrapHandoff) * 1000003 + sizeof(Op) * 1009 + sizeof(Blueprint);

inline void sign(BwrapHandoff& handoff) noexcept {
  std::strncpy(handoff.version, PINFOLD_VERSION, sizeof handoff.version - 1);
  handoff.layout = kLayout;
  handoff.address = reinterpret_cast<std::uintptr_t>(&handoff);
}
inline bool is_ours(const BwrapHandoff& handoff) noexcept {
  return std::strncmp(handoff.version, PINFOLD_VERSION, sizeof handoff.version) == 0 && handoff.layout == kLayout;
}

// Maps at exactly this address; null if it is in use.
inline void* map_at(int file, void* address) noexcept {
  void* base = ::mmap(address, kSharedSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
  if (base == address) return base;
  if (base != MAP_FAILED) ::munmap(base, kSharedSize);  // a kernel that treats the address as a hint
  return nullptr;
}

// A namespace is identified by its inode number; the order of kNamespaceNames.
inline constexpr const char* kNamespaceNames[] = {"user", "mnt", "pid", "ipc", "uts", "net", "cgroup"};
inline constexpr std::size_t kNamespaceCount = sizeof kNamespaceNames / sizeof *kNamespaceNames;
struct Namespaces {
  std::uint64_t inode[kNamespaceCount];  // 0: this kernel has no namespaces of that kind
};
Namespaces own_namespaces() noexcept;

// Init's first message, with a pidfd of itself.
struct InitHello {
  std::int32_t pid;  // in its own pid namespace
  Namespaces namespaces;
};

}  // namespace pinfold::backend::on_linux::child
