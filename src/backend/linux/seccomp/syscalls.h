// syscalls.h: the reviewed system calls and what the sandbox does with each.
// Invariant: a number that is not in the table is answered ENOSYS; nothing new in a kernel is ever allowed unseen.
// Not here: turning the table into a filter (filter.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pinfold::backend::on_linux {

enum class Verdict : std::uint8_t {
  kAllow,
  kRefuse,       // EPERM: exists, but not for you
  kAbsent,       // ENOSYS: callers fall back
  kClone,        // no new namespaces; with exec none, threads only
  kFork,         // refused with exec none
  kUnshare,      // no new namespaces
  kSocket,       // known families, no raw sockets, no unusual protocols
  kIoctl,        // no TIOCSTI, no TIOCLINUX
  kPersonality,  // plain Linux only
  kTraces,       // the kernel keeps it to the sandbox's own processes; refused unless debuggers are allowed
  kMakeNode,     // no devices; creates a name
  kMakeNodeAt,
  kChmod,  // no set-user-id, no set-group-id bits
  kChmodAt,
  kChmodOpenFile,
  kOpen,  // the mode of a new file has no set-id bits; O_CREAT creates a name
  kOpenAt,
  kCreat,
  kMkdir,  // creates a name
  kMkdirAt,
  kCreatesName,   // rename, link, symlink
  kMemfd,         // refused unless every program may run, and while memory is counted by hand
  kSharedMemory,  // refused while memory is counted by hand
  kPrctl,         // PR_SET_MM and the like are refused
  // Walls of namespaces and mounts answer for these by themselves; where there are only Landlock's rules, which have
  // none for them, they are looked at.
  kChangesFile,      // owner, times, attributes: changed on the caller's behalf where it may write
  kChangesOpenFile,  // the same, by a descriptor
  kTimes,            // the same, by a path or a descriptor
  kChangesFileAnew,  // the same, with arguments in memory: absent, callers fall back
  kReadsAttributes,  // extended attributes, by a path: refused there as a file system without them would
  kTruncate,
  kRemovesName,
  kTargetsFirst,  // the first argument names a process, 0 for the caller itself
  kPriority,      // the first says what the second names: a process, a group, a user
  kIoPriority,    // the same in other numbers
  kSignals,
  kSharedIpc,  // System V and POSIX queues: the whole host's
  kSocketPair,
  // Where a proxy is all that may be connected to: without a network namespace.
  kBinds,         // refused there; elsewhere a local socket with a path is a new name
  kListens,       // the same; it needs no bind
  kSends,         // no connecting by the first bytes; flags in the fourth argument
  kSendsMessage,  // in the third
  kSocketOption,  // none that leads a connection elsewhere
  // Always allowed; seen where the run is observed.
  kConnects,  // made by the supervisor where a proxy is all that may be connected to
  kExecutes,
  kEnters,           // chdir
  kLooks,            // stat, access, readlink
  kLooksAt,          // with flags in the fourth argument
  kLooksFlagsThird,  // in the third
};
inline constexpr std::size_t kVerdicts = static_cast<std::size_t>(Verdict::kLooksFlagsThird) + 1;

struct Reviewed {
  std::uint32_t number;
  Verdict verdict;
};

// Sorted by number, no number twice.
std::span<const Reviewed> reviewed_syscalls();

}  // namespace pinfold::backend::on_linux
