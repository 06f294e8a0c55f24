// calls.cc: attempts by system calls that no sandboxed program needs, and by the other tables of calls (i386, x32).
// Invariant: calls that could change the host get arguments that the kernel refuses only after its permission check.
// Not here: io_uring (rings.cc), namespaces, mounts.
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <initializer_list>

#include "probe.h"

namespace probe {
namespace {

constexpr long kX32 = 0x40000000;

// Runs the attempt in a child, because a filter may kill a process that uses another table of calls.
Result in_child(const std::function<long(char* low)>& attempt, const std::string& path) {
  // Within the first 4 GiB, where i386 calls can point to, and shared, so that the parent sees the bytes that were
  // read.
  void* low = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (low == MAP_FAILED) return cannot("mmap");
  auto* page = static_cast<char*>(low);
  std::memcpy(page, path.c_str(), path.size() + 1);
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) < 0) return cannot("pipe");
  pid_t child = ::fork();
  if (child < 0) return cannot("fork");
  if (child == 0) {
    long got = attempt(page);
    ::_exit(::write(pipe_ends[1], &got, sizeof got) == sizeof got ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  long got = -1;
  ssize_t size = ::read(pipe_ends[0], &got, sizeof got);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (size != sizeof got) {
    if (WIFSIGNALED(status)) return denied(std::string("killed by SIG") + ::sigabbrev_np(WTERMSIG(status)));
    return cannot("the child said nothing");
  }
  if (got < 0) return denied(errno_name(static_cast<int>(-got)));
  return reached(printable(std::string_view(page + 2048, static_cast<std::size_t>(got)), 100));
}

#if defined(__x86_64__)
long int80(long call, long a, long b, long c) {
  long result = 0;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(call), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
  return static_cast<int>(result);
}

Result i386_read(const Args& args) {
  return in_child(
      [](char* low) {
        auto address = reinterpret_cast<long>(low);
        long fd = int80(5, address, 0, 0);
        return fd < 0 ? fd : int80(3, fd, address + 2048, 100);
      },
      args[0]);
}

Result x32_read(const Args& args) {
  return in_child(
      [](char* low) {
        long fd = ::syscall(kX32 | SYS_open, low, O_RDONLY, 0);
        if (fd < 0) return static_cast<long>(-errno);
        long got = ::syscall(kX32 | SYS_read, fd, low + 2048, 100L);
        return got < 0 ? static_cast<long>(-errno) : got;
      },
      args[0]);
}
#else
Result i386_read(const Args&) { return denied("not this architecture"); }
Result x32_read(const Args&) { return denied("not this architecture"); }
#endif

// A call that succeeded, or failed for a reason that comes after the permission check.
Result judged(long got, const std::string& what, std::initializer_list<int> late) {
  if (got >= 0) return reached(what);
  for (int number : late) {
    if (errno == number) return reached(what + " (allowed; then " + errno_name(number) + ")");
  }
  return denied();
}

Result make_bpf_map(const Args&) {
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = 4;
  attributes.value_size = 8;
  attributes.max_entries = 1;
  return judged(::syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes), "a BPF map", {});
}

Result open_perf_event(const Args&) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return judged(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0), "a perf event", {});
}

Result fault_descriptor(const Args&) {
  if (::syscall(SYS_userfaultfd, O_CLOEXEC) >= 0) return reached("a userfaultfd");
  return judged(::syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY), "a user-mode userfaultfd", {});
}

Result session_keyring(const Args&) {
  return judged(::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1), "the session keyring", {});
}

Result add_key(const Args&) {
  long key = ::syscall(SYS_add_key, "user", "pinfold-probe", "x", 1L, KEY_SPEC_PROCESS_KEYRING);
  return judged(key, "a key of its own", {});
}

// The host's canary keeps a key in the user's keyring.
Result read_key(const Args& args) {
  long key = ::syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", args[0].c_str(), 0);
  if (key < 0) key = ::syscall(SYS_request_key, "user", args[0].c_str(), nullptr, 0);
  if (key < 0) return denied();
  char payload[128] = {};
  if (::syscall(SYS_keyctl, KEYCTL_READ, key, payload, sizeof payload - 1) < 0) return denied();
  return reached(printable(payload, 100));
}

Result load_kernel(const Args&) {
  return judged(::syscall(SYS_kexec_load, 0L, 0L, nullptr, 0xffff8000L), "kexec_load", {EINVAL, EBUSY});
}
Result load_module(const Args&) {
  return judged(::syscall(SYS_finit_module, -1, "", 0), "finit_module", {EBADF, EINVAL});
}
Result load_module_image(const Args&) {
  return judged(::syscall(SYS_init_module, "", 0L, ""), "init_module", {ENOEXEC, EINVAL});
}
Result unload_module(const Args&) {
  return judged(::syscall(SYS_delete_module, "pinfold_no_such_module", O_NONBLOCK), "delete_module", {ENOENT});
}

Result change_personality(const Args& args) {
  return judged(::syscall(SYS_personality, number(args[0])), "personality " + args[0], {});
}

Result read_kernel_log(const Args&) {
  static char buffer[1024];
  return judged(::syscall(SYS_syslog, 3, buffer, 1024), "the kernel's log", {});
}

Result port_access(const Args&) { return judged(::syscall(SYS_iopl, 3), "I/O ports", {}); }
Result port_range(const Args&) { return judged(::syscall(SYS_ioperm, 0x80L, 1L, 1), "an I/O port", {}); }
Result reboot(const Args&) { return judged(::syscall(SYS_reboot, 0, 0, 0, nullptr), "reboot", {EINVAL}); }
Result account(const Args&) {
  return judged(::syscall(SYS_acct, "/nonexistent/pinfold"), "process accounting", {ENOENT});
}
Result swap_on(const Args&) { return judged(::syscall(SYS_swapon, "/nonexistent/pinfold", 0), "swapon", {ENOENT}); }
Result watch_all_files(const Args&) { return judged(::syscall(SYS_fanotify_init, 0, 0), "a fanotify group", {}); }

Result set_clock(const Args&) {
  // Out of range, and so refused — with EINVAL only if the caller may set the clock; the check comes first since 4.x.
  timespec when{-1, 2000000000};
  return judged(::syscall(SYS_clock_settime, 0, &when), "the clock", {EINVAL});
}

Result open_tree_attr(const Args& args) {
  constexpr long kOpenTreeAttr = 467;  // 6.15; not in this libc's table
  constexpr unsigned kCloneTree = 1;
  return judged(::syscall(kOpenTreeAttr, AT_FDCWD, args[0].c_str(), kCloneTree, nullptr, 0L), "a cloned tree", {});
}

Result segment_table(const Args&) {
  static char buffer[256];
  return judged(::syscall(SYS_modify_ldt, 0, buffer, 256L), "the segment table", {});
}

Result attach_shared_memory(const Args& args) {
  auto* memory = reinterpret_cast<const char*>(::syscall(SYS_shmat, number(args[0]), nullptr, 010000 /* SHM_RDONLY */));
  if (reinterpret_cast<std::intptr_t>(memory) == -1) return denied();
  return reached(printable(memory, 100));
}

constexpr Attempt kAttempts[] = {
    {"int80-read", 1, i386_read},
    {"x32-read", 1, x32_read},
    {"bpf", 0, make_bpf_map},
    {"perf-event-open", 0, open_perf_event},
    {"userfaultfd", 0, fault_descriptor},
    {"keyctl", 0, session_keyring},
    {"add-key", 0, add_key},
    {"read-key", 1, read_key},
    {"kexec", 0, load_kernel},
    {"finit-module", 0, load_module},
    {"init-module", 0, load_module_image},
    {"delete-module", 0, unload_module},
    {"personality", 1, change_personality},
    {"kernel-log", 0, read_kernel_log},
    {"iopl", 0, port_access},
    {"ioperm", 0, port_range},
    {"reboot", 0, reboot},
    {"acct", 0, account},
    {"swapon", 0, swap_on},
    {"fanotify", 0, watch_all_files},
    {"set-clock", 0, set_clock},
    {"open-tree-attr", 1, open_tree_attr},
    {"modify-ldt", 0, segment_table},
    {"shared-memory", 1, attach_shared_memory},
};

}  // namespace

std::span<const Attempt> call_attempts() { return kAttempts; }

}  // namespace probe
