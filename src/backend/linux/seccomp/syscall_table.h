// syscall_table.h: the reviewed system calls and the action of the filter for each.
// Invariant: a number that is not in the table fails with ENOSYS, so no new call of a kernel is allowed before review.
// Not here: turning the table into a filter (filter.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pinfold::backend::on_linux {

enum class SyscallAction : std::uint8_t {
  kAllow,
  kRefuse,       // EPERM
  kAbsent,       // ENOSYS: callers fall back
  kClone,        // no new namespaces; with exec none, threads only
  kFork,         // refused with exec none
  kUnshare,      // no new namespaces
  kSocket,       // known families, no raw sockets, no unusual protocols
  kIoctl,        // no TIOCSTI, no TIOCLINUX
  kPersonality,  // plain Linux only
  kTraces,       // refused unless debuggers are allowed; the kernel limits it to the sandbox's processes
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
  kMemfd,         // refused unless every program may run, and while the supervisor polls the memory limit
  kSharedMemory,  // refused while the supervisor polls the memory limit
  kPrctl,         // PR_SET_MM and the like are refused
  // Namespaces and mounts confine these calls by themselves. Landlock has no rights for them, so with kLandlockOnly the
  // filter traps or refuses them.
  kChangesFile,      // owner, times, attributes: the supervisor changes them for the caller where it may write
  kChangesOpenFile,  // the same, by a descriptor
  kTimes,            // the same, by a path or a descriptor
  kChangesFileAnew,  // the same, with arguments in memory: absent, callers fall back
  kReadsAttributes,  // extended attributes, by a path: EOPNOTSUPP, like a file system without them
  kTruncate,
  kRemovesName,
  kTargetsFirst,  // the first argument names a process, 0 for the caller itself
  kPriority,      // the first says what the second names: a process, a group, a user
  kIoPriority,    // the same in other numbers
  kSignals,
  kSharedIpc,  // System V IPC and POSIX queues, which the sandbox would share with the host
  kSocketPair,
  // For a sandbox without a network namespace whose only network is the proxy.
  kBinds,         // refused there; elsewhere a local socket with a path is a new name
  kListens,       // the same; it needs no bind
  kSends,         // no connecting by the first bytes; flags in the fourth argument
  kSendsMessage,  // in the third
  kSocketOption,  // no option that routes a connection elsewhere
  // Always allowed; trapped where the run is observed.
  kConnects,  // with the proxy as the only network: the supervisor connects
  kExecutes,
  kEnters,           // chdir
  kLooks,            // stat, access, readlink
  kLooksAt,          // with flags in the fourth argument
  kLooksFlagsThird,  // in the third
};
inline constexpr std::size_t kSyscallActionCount = static_cast<std::size_t>(SyscallAction::kLooksFlagsThird) + 1;

struct ReviewedSyscall {
  std::uint32_t number;
  SyscallAction action;
};

// Sorted by number, no number twice.
std::span<const ReviewedSyscall> reviewed_syscalls();

}  // namespace pinfold::backend::on_linux
