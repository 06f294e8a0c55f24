// filter_test.cc: runs the filter in an interpreter over numbers and arguments, and checks the table for omissions.
#include "backend/linux/seccomp/filter.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "backend/linux/seccomp/syscall_table.h"

namespace pinfold::backend::on_linux {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// The instructions that the builder uses, as the kernel defines them.
std::uint32_t interpret(const std::vector<sock_filter>& code, const seccomp_data& data, int* steps = nullptr) {
  std::uint32_t a = 0;
  int taken = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const sock_filter& op = code[at];
    ++taken;
    switch (op.code) {
      case BPF_LD | BPF_W | BPF_ABS: std::memcpy(&a, reinterpret_cast<const char*>(&data) + op.k, 4); break;
      case BPF_ALU | BPF_AND | BPF_K: a &= op.k; break;
      case BPF_JMP | BPF_JA: at += op.k; break;
      case BPF_JMP | BPF_JEQ | BPF_K: at += a == op.k ? op.jt : op.jf; break;
      case BPF_JMP | BPF_JGE | BPF_K: at += a >= op.k ? op.jt : op.jf; break;
      case BPF_JMP | BPF_JSET | BPF_K: at += (a & op.k) != 0 ? op.jt : op.jf; break;
      case BPF_RET | BPF_K:
        if (steps != nullptr) *steps = taken;
        return op.k;
      default: ADD_FAILURE() << "unknown instruction " << op.code; return 0;
    }
  }
  ADD_FAILURE() << "ran off the end";
  return 0;
}

seccomp_data call(long number, std::initializer_list<std::uint64_t> arguments = {}) {
  seccomp_data data{};
  data.nr = static_cast<int>(number);
  data.arch = kArchitecture;
  std::copy(arguments.begin(), arguments.end(), data.args);
  return data;
}

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kTrap = SECCOMP_RET_USER_NOTIF;
constexpr std::uint32_t error(int number) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(number); }

class Filter : public ::testing::Test {
 protected:
  std::uint32_t plain(long number, std::initializer_list<std::uint64_t> arguments = {}) {
    return interpret(plain_, call(number, arguments));
  }
  std::vector<sock_filter> plain_ = build_filter({ExecMode::kAny, Traps::kOff});
};

TEST_F(Filter, AllowsOrdinaryCalls) {
  for (long number : {__NR_read, __NR_write, __NR_mmap, __NR_execve, __NR_futex, __NR_exit_group, __NR_getrandom,
                      __NR_landlock_create_ruleset, __NR_statx, __NR_close_range})
    EXPECT_EQ(plain(number), kAllow) << number;
}

TEST_F(Filter, RefusesCallsOnOtherProcessesMountsAndTheKernel) {
  for (long number :
       {__NR_ptrace,       __NR_process_vm_writev, __NR_pidfd_getfd,   __NR_mount,      __NR_umount2, __NR_fsopen,
        __NR_open_tree,    __NR_move_mount,        __NR_mount_setattr, __NR_pivot_root, __NR_chroot,  __NR_setns,
        __NR_bpf,          __NR_perf_event_open,   __NR_userfaultfd,   __NR_keyctl,     __NR_add_key, __NR_kexec_load,
        __NR_finit_module, __NR_open_by_handle_at})
    EXPECT_EQ(plain(number), error(EPERM)) << number;
}

TEST_F(Filter, AllowsPtraceIfDebuggersAreAllowed) {
  FilterOptions options;
  options.debuggers = Debuggers::kAllowed;
  const auto filter = build_filter(options);
  for (long number : {__NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_kcmp})
    EXPECT_EQ(interpret(filter, call(number)), kAllow) << number;
  EXPECT_EQ(interpret(filter, call(__NR_personality, {0x0040000})), kAllow) << "ADDR_NO_RANDOMIZE";
  EXPECT_EQ(plain(__NR_personality, {0x0040000}), error(EPERM));
  for (long number : {__NR_pidfd_getfd, __NR_mount, __NR_perf_event_open})
    EXPECT_EQ(interpret(filter, call(number)), error(EPERM)) << number;
}

TEST_F(Filter, ReturnsENOSYSForUnknownAndPointerArgumentCalls) {
  for (long number : {static_cast<long>(__NR_clone3), static_cast<long>(__NR_openat2),
                      static_cast<long>(__NR_io_uring_setup), 468L, 500L, 100000L, 0x40000000L + 2, -1L})
    EXPECT_EQ(plain(number), error(ENOSYS)) << number;
}

TEST_F(Filter, KillsForeignArchitectures) {
  seccomp_data foreign = call(__NR_read);
  foreign.arch = AUDIT_ARCH_I386;
  EXPECT_EQ(interpret(plain_, foreign), SECCOMP_RET_KILL_PROCESS);
}

TEST_F(Filter, RefusesNewNamespacesButNotThreads) {
  EXPECT_EQ(plain(__NR_clone, {CLONE_NEWUSER}), error(EPERM));
  EXPECT_EQ(plain(__NR_clone, {CLONE_NEWNET | SIGCHLD}), error(EPERM));
  EXPECT_EQ(plain(__NR_clone, {CLONE_VM | CLONE_THREAD}), kAllow);
  EXPECT_EQ(plain(__NR_clone, {SIGCHLD}), kAllow);
  EXPECT_EQ(plain(__NR_unshare, {0x80}), error(EPERM));
  EXPECT_EQ(plain(__NR_unshare, {CLONE_FILES}), kAllow);
}

TEST_F(Filter, AllowsOrdinarySocketsOnly) {
  EXPECT_EQ(plain(__NR_socket, {AF_UNIX, SOCK_STREAM, 0}), kAllow);
  EXPECT_EQ(plain(__NR_socket, {AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 6}), kAllow);
  EXPECT_EQ(plain(__NR_socket, {AF_INET6, SOCK_DGRAM, 0}), kAllow);
  EXPECT_EQ(plain(__NR_socket, {AF_INET, SOCK_RAW, 1}), error(EPERM));
  EXPECT_EQ(plain(__NR_socket, {AF_INET, SOCK_STREAM, 262}), error(EPROTONOSUPPORT));
  EXPECT_EQ(plain(__NR_socket, {AF_NETLINK, SOCK_RAW, 0}), kAllow);
  EXPECT_EQ(plain(__NR_socket, {AF_NETLINK, SOCK_RAW, 9}), error(EPROTONOSUPPORT));
  for (std::uint64_t family : {17UL, 40UL, 38UL, 31UL})
    EXPECT_EQ(plain(__NR_socket, {family, SOCK_STREAM, 0}), error(EAFNOSUPPORT));
}

TEST_F(Filter, RefusesTIOCSTIWithAnyHighBits) {
  EXPECT_EQ(plain(__NR_ioctl, {0, TIOCSTI}), error(EPERM));
  EXPECT_EQ(plain(__NR_ioctl, {0, 0xdead00000000UL | TIOCSTI}), error(EPERM));
  EXPECT_EQ(plain(__NR_ioctl, {0, 0xffffffff00000000UL | TIOCLINUX}), error(EPERM));
  EXPECT_EQ(plain(__NR_ioctl, {0, TCGETS}), kAllow);
}

// BTRFS_IOC_SUBVOL_CREATE and the like make a directory whose name is in memory only; FICLONE stays allowed.
TEST_F(Filter, RefusesIoctlsThatMakeNames) {
  for (std::uint64_t made : {0x50009401U, 0x5000940eU, 0x5000940fU, 0x50009417U, 0x50009418U, 0x5000943fU})
    EXPECT_EQ(plain(__NR_ioctl, {3, made}), error(ENOTTY)) << made;
  for (std::uint64_t shared : {0x40049409U, 0x4020940dU, 0xc0189436U})
    EXPECT_EQ(plain(__NR_ioctl, {3, shared}), kAllow) << shared;
}

TEST_F(Filter, RefusesSetIdBitsAndDevices) {
  EXPECT_EQ(plain(__NR_fchmod, {3, 04755}), error(EPERM));
  EXPECT_EQ(plain(__NR_fchmod, {3, 0755}), kAllow);
  EXPECT_EQ(plain(__NR_fchmodat, {0, 0, 02755}), error(EPERM));
  EXPECT_EQ(plain(452, {0, 0, 04755}), error(EPERM));
  EXPECT_EQ(plain(__NR_openat, {0, 0, O_CREAT | O_WRONLY, 04755}), error(EPERM));
  EXPECT_EQ(plain(__NR_openat, {0, 0, O_TMPFILE | O_WRONLY, 04755}), error(EPERM));
  EXPECT_EQ(plain(__NR_openat, {0, 0, O_RDONLY, 07777}), kAllow);  // no file is made: the mode is garbage
  EXPECT_EQ(plain(__NR_mknodat, {0, 0, S_IFBLK | 0600}), error(EPERM));
  EXPECT_EQ(plain(__NR_mknodat, {0, 0, S_IFIFO | 0600}), kAllow);
}

TEST(FilterTraps, TrapsEveryCallThatMayCreateAName) {
  auto code = build_filter({ExecMode::kAny, Traps::kNewNames});
  EXPECT_EQ(interpret(code, call(__NR_openat, {0, 0, O_CREAT | O_WRONLY, 0644})), kTrap);
  EXPECT_EQ(interpret(code, call(__NR_openat, {0, 0, O_WRONLY, 0})), kAllow);
  for (long number : {__NR_mkdirat, __NR_renameat2, __NR_linkat, __NR_symlinkat, __NR_bind})
    EXPECT_EQ(interpret(code, call(number)), kTrap);
  EXPECT_EQ(interpret(code, call(__NR_mknodat, {0, 0, S_IFREG})), kTrap);
  EXPECT_EQ(interpret(code, call(__NR_read)), kAllow);
  EXPECT_EQ(interpret(code, call(__NR_clone, {SIGCHLD})), kAllow);
}

TEST(FilterExecNone, AllowsThreadsOnly) {
  auto code = build_filter({ExecMode::kNone, Traps::kOff});
  EXPECT_EQ(interpret(code, call(__NR_clone, {CLONE_VM | CLONE_THREAD})), kAllow);
  EXPECT_EQ(interpret(code, call(__NR_clone, {SIGCHLD})), error(EPERM));
  EXPECT_EQ(interpret(code, call(__NR_memfd_create)), error(EPERM));
#ifdef __NR_fork
  EXPECT_EQ(interpret(code, call(__NR_fork)), error(EPERM));
  EXPECT_EQ(interpret(code, call(__NR_vfork)), error(EPERM));
#endif
}

TEST(FilterCountedByHand, RefusesMemfdAndSharedMemory) {
  auto code = build_filter({ExecMode::kAny, Traps::kOff, SharedMemory::kRefused});
  EXPECT_EQ(interpret(code, call(__NR_memfd_create)), error(EPERM));
  EXPECT_EQ(interpret(code, call(__NR_shmget)), error(ENOSYS));
  auto free = build_filter({ExecMode::kAny, Traps::kOff});
  EXPECT_EQ(interpret(free, call(__NR_memfd_create)), kAllow);
  EXPECT_EQ(interpret(free, call(__NR_shmget)), kAllow);
}

TEST(FilterShape, ReachesEveryNumberInFewInstructions) {
  auto code = build_filter({ExecMode::kAny, Traps::kNewNames});
  EXPECT_LT(code.size(), 4096U);
  for (int number = 0; number < 600; ++number) {
    int steps = 0;
    interpret(code, call(number), &steps);
    EXPECT_LE(steps, 32) << number;
  }
}

TEST(ReviewedTable, HasEveryCallOfTheBuildHeaders) {
  auto table = reviewed_syscalls();
  for (std::uint32_t number = 0; number <= __NR_set_mempolicy_home_node; ++number) {
#if defined(__x86_64__)
    if (number > 334 && number < 424) continue;  // never assigned
#endif
    bool known =
        std::any_of(table.begin(), table.end(), [&](const ReviewedSyscall& each) { return each.number == number; });
    EXPECT_TRUE(known) << number;
  }
}

// With Isolation::kLandlockOnly.
class RulesFilter : public ::testing::Test {
 protected:
  static FilterOptions options(Traps traps, NetworkMode network = NetworkMode::kNone, int abi = 7) {
    FilterOptions options;
    options.traps = traps;
    options.isolation = Isolation::kLandlockOnly;
    options.network = network;
    options.landlock_abi = abi;
    return options;
  }
  static std::uint32_t ask(const FilterOptions& options, long number,
                           std::initializer_list<std::uint64_t> arguments = {}) {
    return interpret(build_filter(options), call(number, arguments));
  }
  const FilterOptions trapped_ = options(Traps::kChanges);
  const FilterOptions alone_ = options(Traps::kOff);
};

TEST_F(RulesFilter, TrapsChangesThatLandlockHasNoRightFor) {
  for (long number : {__NR_chmod, __NR_fchmod, __NR_fchmodat, __NR_chown, __NR_fchownat, __NR_utimensat, __NR_setxattr,
                      __NR_removexattr}) {
    EXPECT_EQ(ask(trapped_, number, {0, 0, 0}), kTrap) << number;
    EXPECT_EQ(ask(alone_, number, {0, 0, 0}), error(EPERM)) << number;
  }
  EXPECT_EQ(ask(trapped_, __NR_chmod, {0, S_ISUID | 0755}), error(EPERM));
}

TEST_F(RulesFilter, ReadsAttributesOnlyOfFilesThatAreOpen) {
  for (long number : {__NR_getxattr, __NR_lgetxattr, __NR_listxattr, __NR_llistxattr, 464, 465})
    EXPECT_EQ(ask(trapped_, number, {0, 0, 0}), error(EOPNOTSUPP)) << number;
  for (long number : {__NR_fgetxattr, __NR_flistxattr}) EXPECT_EQ(ask(trapped_, number, {0, 0, 0}), kAllow) << number;
}

TEST_F(RulesFilter, AllowsOnlySocketPairs) {
  for (std::uint64_t family : {1U, 2U, 10U, 16U})  // unix, inet, inet6, netlink
    EXPECT_EQ(ask(trapped_, __NR_socket, {family, SOCK_STREAM, 0}), error(EACCES)) << family;
  EXPECT_EQ(ask(trapped_, __NR_socketpair, {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0}), kAllow);
  EXPECT_EQ(ask(trapped_, __NR_socketpair, {AF_UNIX, SOCK_DGRAM, 0}), error(EACCES));
  EXPECT_EQ(ask(trapped_, __NR_socketpair, {AF_TIPC, SOCK_STREAM, 0}), error(EAFNOSUPPORT));
  const auto newer = options(Traps::kChanges, NetworkMode::kNone, 9);
  EXPECT_EQ(ask(newer, __NR_socket, {1, SOCK_STREAM, 0}), kAllow) << "Landlock keeps it from the host's";
  EXPECT_EQ(ask(newer, __NR_socket, {2, SOCK_STREAM, 0}), error(EACCES));
  EXPECT_EQ(ask(newer, __NR_socketpair, {1, SOCK_DGRAM, 0}), kAllow);
  const auto full = options(Traps::kChanges, NetworkMode::kFull);
  EXPECT_EQ(ask(full, __NR_socket, {AF_INET, SOCK_STREAM, 0}), kAllow);
  EXPECT_EQ(ask(full, __NR_socket, {AF_UNIX, SOCK_STREAM, 0}), error(EACCES));
}

// Only the supervisor connects, and no call listens.
TEST_F(RulesFilter, WithRulesByNameOnlyTheSupervisorConnects) {
  for (int abi : {2, 7, 9}) {
    const auto domains = options(Traps::kChanges, NetworkMode::kDomains, abi);
    EXPECT_EQ(ask(domains, __NR_socket, {AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0}), kAllow);
    EXPECT_EQ(ask(domains, __NR_socket, {AF_INET, SOCK_STREAM, IPPROTO_TCP}), kAllow);
    EXPECT_EQ(ask(domains, __NR_socket, {AF_INET, SOCK_STREAM, 262}), error(EPROTONOSUPPORT)) << "MPTCP";
    for (std::uint64_t type : {2U, 3U, 5U, 10U})
      EXPECT_EQ(ask(domains, __NR_socket, {AF_INET, type, 0}), error(EACCES));
    EXPECT_EQ(ask(domains, __NR_socket, {AF_INET6, SOCK_STREAM, 0}), error(EAFNOSUPPORT));
    for (std::uint64_t family : {1U, 16U, 17U, 40U, 43U})  // unix, netlink, packet, vsock, smc
      EXPECT_EQ(ask(domains, __NR_socket, {family, SOCK_STREAM, 0}), error(EACCES)) << family;
    EXPECT_EQ(ask(domains, __NR_connect), kTrap);
    EXPECT_EQ(ask(options(Traps::kOff, NetworkMode::kDomains, abi), __NR_connect), error(EPERM));
    EXPECT_EQ(ask(domains, __NR_bind), error(EACCES));
    EXPECT_EQ(ask(domains, __NR_listen), error(EACCES));
    EXPECT_EQ(ask(domains, __NR_socketpair, {AF_UNIX, SOCK_DGRAM, 0}), error(EACCES));
  }
}

TEST_F(RulesFilter, WithRulesByNameNoFlagOrOptionConnectsOrReroutes) {
  const auto domains = options(Traps::kChanges, NetworkMode::kDomains);
  const auto full = options(Traps::kChanges, NetworkMode::kFull);
  EXPECT_EQ(ask(domains, __NR_sendto, {3, 0, 0, MSG_NOSIGNAL, 0, 0}), kAllow);
  EXPECT_EQ(ask(domains, __NR_sendto, {3, 0, 0, MSG_FASTOPEN | MSG_DONTWAIT, 0, 0}), error(EOPNOTSUPP));
  EXPECT_EQ(ask(domains, __NR_sendmsg, {3, 0, MSG_FASTOPEN}), error(EOPNOTSUPP));
  EXPECT_EQ(ask(domains, __NR_sendmsg, {3, 0, MSG_DONTWAIT}), kAllow);
  EXPECT_EQ(ask(domains, __NR_sendmmsg, {3, 0, 1, MSG_FASTOPEN}), error(EOPNOTSUPP));
  EXPECT_EQ(ask(full, __NR_sendto, {3, 0, 0, MSG_FASTOPEN, 0, 0}), kAllow);
  auto option = [&](int level, int name) {
    return ask(domains, __NR_setsockopt, {3, static_cast<std::uint64_t>(level), static_cast<std::uint64_t>(name)});
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), kAllow);
  EXPECT_EQ(option(IPPROTO_TCP, 1), kAllow) << "TCP_NODELAY";
  EXPECT_EQ(option(IPPROTO_IP, 1), kAllow) << "IP_TOS";
  EXPECT_EQ(option(SOL_SOCKET, SO_LINGER), SECCOMP_RET_ERRNO) << "as if done";
  for (int name : {25, 62, 36, 51}) EXPECT_EQ(option(SOL_SOCKET, name), error(ENOPROTOOPT)) << "devices, marks, BPF";
  for (int name : {19, 23, 30, 31})
    EXPECT_EQ(option(IPPROTO_TCP, name), error(ENOPROTOOPT)) << "repair, fast open, ULP";
  for (int name : {4, 19, 50}) EXPECT_EQ(option(IPPROTO_IP, name), error(ENOPROTOOPT)) << "source routes and the like";
  EXPECT_EQ(option(IPPROTO_IPV6, 1), error(ENOPROTOOPT));
  EXPECT_EQ(ask(full, __NR_setsockopt, {3, 0, 4}), kAllow);
}

TEST_F(RulesFilter, TrapsOpensForWritingAndRefusesTruncatingReads) {
  EXPECT_EQ(ask(trapped_, __NR_openat, {0, 0, O_RDONLY}), kAllow);
  EXPECT_EQ(ask(trapped_, __NR_openat, {0, 0, O_RDONLY | O_DIRECTORY | O_CLOEXEC}), kAllow);
  EXPECT_EQ(ask(trapped_, __NR_openat, {0, 0, O_WRONLY}), kTrap);
  EXPECT_EQ(ask(trapped_, __NR_openat, {0, 0, O_RDWR | O_TRUNC}), kTrap);
  EXPECT_EQ(ask(trapped_, __NR_openat, {0, 0, O_WRONLY | O_CREAT | O_TRUNC, 0644}), kTrap);
  EXPECT_EQ(ask(trapped_, __NR_openat, {0, 0, O_WRONLY | O_CREAT, S_ISUID}), error(EPERM));
  EXPECT_EQ(ask(trapped_, __NR_openat, {0, 0, O_TMPFILE | O_RDWR, 0600}), kAllow);
  for (const auto& each : {trapped_, alone_})
    EXPECT_EQ(ask(each, __NR_openat, {0, 0, O_RDONLY | O_TRUNC}), error(EACCES));
}

TEST_F(RulesFilter, TrapsCallsOnOtherProcesses) {
  EXPECT_EQ(ask(trapped_, __NR_prlimit64, {0, 7}), kAllow);
  EXPECT_EQ(ask(trapped_, __NR_prlimit64, {4711, 7}), kTrap);
  EXPECT_EQ(ask(alone_, __NR_prlimit64, {4711, 7}), error(EPERM));
  EXPECT_EQ(ask(trapped_, __NR_setpriority, {0, 4711}), kTrap);
  // 0 is the caller, but also its process group and its user, with all their processes on the host.
  EXPECT_EQ(ask(trapped_, __NR_setpriority, {PRIO_PROCESS, 0}), kAllow);
  EXPECT_EQ(ask(trapped_, __NR_setpriority, {PRIO_USER, 0}), kTrap);
  EXPECT_EQ(ask(alone_, __NR_setpriority, {PRIO_USER, 0}), error(EPERM));
  EXPECT_EQ(ask(alone_, __NR_setpriority, {PRIO_PGRP, 0}), error(EPERM));
  EXPECT_EQ(ask(trapped_, __NR_ioprio_set, {1, 0}), kAllow);
  for (std::uint64_t kind : {2U, 3U}) EXPECT_EQ(ask(alone_, __NR_ioprio_set, {kind, 0}), error(EPERM));
  EXPECT_EQ(ask(trapped_, __NR_kill, {4711, 9}), kAllow);  // Landlock's scope
  EXPECT_EQ(ask(options(Traps::kChanges, NetworkMode::kNone, 5), __NR_kill, {4711, 9}), kTrap);
  EXPECT_EQ(ask(trapped_, __NR_mq_open), error(ENOSYS));
  EXPECT_EQ(ask(trapped_, __NR_shmget), error(ENOSYS));
}

TEST_F(RulesFilter, RefusesFileSystemIoctlsOnReadDescriptors) {
  EXPECT_EQ(ask(trapped_, __NR_ioctl, {3, 0x40086602}), error(ENOTTY));  // FS_IOC_SETFLAGS
  EXPECT_EQ(ask(trapped_, __NR_ioctl, {3, 0x5000940e}), error(ENOTTY));  // BTRFS_IOC_SUBVOL_CREATE
  EXPECT_EQ(ask(trapped_, __NR_ioctl, {3, TIOCSTI}), error(EPERM));
  EXPECT_EQ(ask(trapped_, __NR_ioctl, {3, TCGETS}), kAllow);
  EXPECT_EQ(ask(trapped_, __NR_ioctl, {3, TIOCGPTPEER}), kTrap);
  EXPECT_EQ(ask(alone_, __NR_ioctl, {3, TIOCGPTPEER}), kAllow);
}

class Observed : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kMark = 0x1234567;
  static std::vector<sock_filter> filter(ObserveMode mode) {
    FilterOptions options{ExecMode::kAny, Traps::kOff};
    options.observe = mode;
    options.mark = kMark;
    return build_filter(options);
  }
  std::uint32_t fast(long number, std::initializer_list<std::uint64_t> arguments = {}) {
    return interpret(fast_, call(number, arguments));
  }
  std::uint32_t full(long number, std::initializer_list<std::uint64_t> arguments = {}) {
    return interpret(full_, call(number, arguments));
  }
  std::vector<sock_filter> fast_ = filter(ObserveMode::kFast);
  std::vector<sock_filter> full_ = filter(ObserveMode::kFull);
};

TEST_F(Observed, FastTrapsRareCalls) {
  for (std::uint64_t flags : {std::uint64_t{O_WRONLY}, std::uint64_t{O_RDWR}, std::uint64_t{O_RDONLY | O_TRUNC},
                              std::uint64_t{O_CREAT}, std::uint64_t{O_TMPFILE | O_RDWR}}) {
    EXPECT_EQ(fast(__NR_openat, {0, 1, flags, 0600}), kTrap) << flags;
    EXPECT_EQ(fast(__NR_open, {1, flags, 0600}), kTrap) << flags;
  }
  for (long number : {__NR_mkdir, __NR_rename, __NR_renameat2, __NR_unlink, __NR_unlinkat, __NR_rmdir, __NR_link,
                      __NR_symlinkat, __NR_truncate, __NR_chmod, __NR_fchmodat, __NR_chown, __NR_fchownat, __NR_utimes,
                      __NR_setxattr, __NR_connect, __NR_bind, __NR_execve, __NR_execveat})
    EXPECT_EQ(fast(number), kTrap) << number;
  EXPECT_EQ(fast(__NR_mknod, {1, S_IFIFO}), kTrap);
  EXPECT_EQ(fast(__NR_utimensat, {0, 0x700000000000, 0, 0}), kTrap) << "a path whose low half is 0";
  EXPECT_EQ(fast(__NR_openat, {0, 1, O_CREAT | O_WRONLY, S_ISUID}), error(EPERM)) << "refused before it is seen";
}

TEST_F(Observed, FastDoesNotTrapFrequentCalls) {
  for (long number :
       {__NR_close,      __NR_dup,     __NR_dup2,   __NR_fork,       __NR_vfork,     __NR_read,   __NR_write,
        __NR_sendto,     __NR_sendmsg, __NR_stat,   __NR_newfstatat, __NR_statx,     __NR_access, __NR_readlink,
        __NR_getdents64, __NR_fchmod,  __NR_fchown, __NR_fsetxattr,  __NR_ftruncate, __NR_chdir,  __NR_accept4})
    EXPECT_EQ(fast(number), kAllow) << number;
  EXPECT_EQ(fast(__NR_clone, {SIGCHLD}), kAllow);
  EXPECT_EQ(fast(__NR_openat, {0, 1, O_RDONLY | O_CLOEXEC, S_ISUID}), kAllow) << "the mode is garbage";
  EXPECT_EQ(fast(__NR_openat, {0, 1, O_RDONLY | O_DIRECTORY}), kAllow);
  EXPECT_EQ(fast(__NR_open, {1, O_RDONLY}), kAllow);
  EXPECT_EQ(fast(__NR_utimensat, {3, 0, 0, 0}), kAllow) << "an open file";
}

TEST_F(Observed, FullTrapsReads) {
  EXPECT_EQ(full(__NR_openat, {0, 1, O_RDONLY | O_CLOEXEC}), kTrap);
  EXPECT_EQ(full(__NR_openat, {0, 1, O_WRONLY | O_CREAT, 0600}), kTrap);
  for (long number : {__NR_stat, __NR_lstat, __NR_newfstatat, __NR_statx, __NR_access, __NR_faccessat, __NR_faccessat2,
                      __NR_readlink, __NR_readlinkat, __NR_chdir})
    EXPECT_EQ(full(number), kTrap) << number;
  EXPECT_EQ(full(__NR_newfstatat, {3, 1, 2, AT_EMPTY_PATH}), kAllow) << "fstat";
  EXPECT_EQ(full(__NR_statx, {3, 1, AT_EMPTY_PATH}), kAllow);
  for (long number : {__NR_close, __NR_read, __NR_fstat, __NR_fork, __NR_dup, __NR_mmap})
    EXPECT_EQ(full(number), kAllow) << number;
}

TEST_F(Observed, TrapsNothingBeforeTheCommandRuns) {
  EXPECT_EQ(fast(__NR_execve, {1, 2, 3, 0, 0, kMark}), kAllow);
  EXPECT_EQ(full(__NR_execve, {1, 2, 3, 0, 0, kMark}), kAllow);
  EXPECT_EQ(full(__NR_newfstatat, {1, 2, 3, 0, 0, kMark}), kAllow);
  EXPECT_EQ(fast(__NR_execve, {1, 2, 3, 0, 0, kMark + 1}), kTrap);
}

TEST_F(Observed, AddsNoInstructionsForUntrappedCalls) {
  int with = 0, without = 0;
  interpret(fast_, call(__NR_read), &with);
  interpret(build_filter({ExecMode::kAny, Traps::kOff}), call(__NR_read), &without);
  EXPECT_LE(with, without + 1);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
