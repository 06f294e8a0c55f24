// call_filter.cc: SECCOMP_RET_TRACE for every call, but for the ones that cannot fail for want of a resource.
// Invariant: filters that the program under test adds come first: the kernel takes ERRNO and USER_NOTIF before TRACE.
// Not here: the action at a stop (fault_injector.cc).
#include "call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace faults {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// Signals are sent or refused by right, not by resource; the others only read or set a word of the process.
constexpr std::uint32_t kCannotFail[] = {
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigreturn,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_umask,
    SYS_sched_yield,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_sigaltstack,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_futex,
    SYS_kill,
    SYS_tgkill,
    SYS_pidfd_send_signal,
    SYS_brk,  // malloc() goes on with mmap()
    SYS_getpgid,
    SYS_getsid,
    SYS_uname,
#if defined(__x86_64__)
    SYS_arch_prctl,
    SYS_time,
    SYS_getpgrp,
#endif
};

}  // namespace

bool install_call_filter() {
  constexpr auto kLoad = static_cast<std::uint16_t>(BPF_LD | BPF_W | BPF_ABS);
  constexpr auto kEquals = static_cast<std::uint16_t>(BPF_JMP | BPF_JEQ | BPF_K);
  constexpr auto kReturn = static_cast<std::uint16_t>(BPF_RET | BPF_K);
  std::vector<sock_filter> filter;
  filter.push_back(BPF_STMT(kLoad, offsetof(seccomp_data, arch)));
  filter.push_back(BPF_JUMP(kEquals, kArchitecture, 1, 0));
  filter.push_back(BPF_STMT(kReturn, SECCOMP_RET_ALLOW));
  filter.push_back(BPF_STMT(kLoad, offsetof(seccomp_data, nr)));
  for (const std::uint32_t number : kCannotFail) {
    filter.push_back(BPF_JUMP(kEquals, number, 0, 1));
    filter.push_back(BPF_STMT(kReturn, SECCOMP_RET_ALLOW));
  }
  filter.push_back(BPF_STMT(kReturn, SECCOMP_RET_TRACE));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

}  // namespace faults
