// wrap.cc: `wrap CALL[=ERRNO]… -- command…` runs a command on a kernel that seems to lack some features: the named
// system calls fail with the errno (ENOSYS unless given), or, with =KILL, end the process that uses them.
// A call may be narrowed: seccomp:listener, prctl:no_new_privs, clone:namespaces.
// Invariant: nothing else changes: no listener, no namespace; no_new_privs only where the kernel asks for it.
// Not here: what the command should do about it (features_test.cc).
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

struct Call {
  const char* name;
  std::uint32_t number;
};
constexpr Call kCalls[] = {
    {"landlock_create_ruleset", 444},
    {"landlock_add_rule", 445},
    {"landlock_restrict_self", 446},
    {"unshare", SYS_unshare},
    {"setns", SYS_setns},
    {"clone", SYS_clone},
    {"clone3", SYS_clone3},
    {"mount", SYS_mount},
    {"umount2", SYS_umount2},
    {"mount_setattr", SYS_mount_setattr},
    {"move_mount", SYS_move_mount},
    {"open_tree", SYS_open_tree},
    {"fsopen", SYS_fsopen},
    {"fsconfig", SYS_fsconfig},
    {"fsmount", SYS_fsmount},
    {"pivot_root", SYS_pivot_root},
    {"chroot", SYS_chroot},
    {"seccomp", SYS_seccomp},
    {"prctl", SYS_prctl},
    {"inotify_init1", SYS_inotify_init1},
    {"pidfd_open", SYS_pidfd_open},
    {"pidfd_send_signal", SYS_pidfd_send_signal},
    {"pidfd_getfd", SYS_pidfd_getfd},
    {"close_range", SYS_close_range},
    {"memfd_create", SYS_memfd_create},
    {"setrlimit", SYS_setrlimit},
    {"prlimit64", SYS_prlimit64},
    {"sethostname", SYS_sethostname},
    {"capset", SYS_capset},
    {"keyctl", SYS_keyctl},
    {"openat2", SYS_openat2},
    {"setsid", SYS_setsid},
    {"setgroups", SYS_setgroups},
    {"timerfd_create", SYS_timerfd_create},
    {"signalfd4", SYS_signalfd4},
    {"epoll_create1", SYS_epoll_create1},
    {"mkdirat", SYS_mkdirat},
    {"socketpair", SYS_socketpair},
};

// The rule holds only when the argument, masked, is one of these.
struct Narrowing {
  const char* name;
  std::uint32_t argument;
  std::uint32_t mask;
  std::uint32_t value;  // 0 with a mask: any of the mask's bits
};
constexpr std::uint32_t kNamespaceFlags =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr Narrowing kNarrowings[] = {
    {"seccomp:listener", 1, SECCOMP_FILTER_FLAG_NEW_LISTENER, 0},
    {"seccomp:filter", 0, ~0U, SECCOMP_SET_MODE_FILTER},
    {"prctl:no_new_privs", 0, ~0U, PR_SET_NO_NEW_PRIVS},
    {"prctl:seccomp", 0, ~0U, PR_SET_SECCOMP},
    {"prctl:dumpable", 0, ~0U, PR_SET_DUMPABLE},
    {"prctl:pdeathsig", 0, ~0U, PR_SET_PDEATHSIG},
    {"prctl:securebits", 0, ~0U, PR_SET_SECUREBITS},
    {"prctl:bounding_set", 0, ~0U, PR_CAPBSET_DROP},
    {"prctl:ambient", 0, ~0U, PR_CAP_AMBIENT},
    {"prctl:subreaper", 0, ~0U, PR_SET_CHILD_SUBREAPER},
    {"clone:namespaces", 0, kNamespaceFlags, 0},
    {"unshare:user", 0, CLONE_NEWUSER, 0},
    {"unshare:mount", 0, CLONE_NEWNS, 0},
    {"unshare:net", 0, CLONE_NEWNET, 0},
};

struct ErrnoName {
  const char* name;
  int number;
};
constexpr ErrnoName kErrnos[] = {{"ENOSYS", ENOSYS},         {"EPERM", EPERM},   {"EACCES", EACCES},
                                 {"EINVAL", EINVAL},         {"EBUSY", EBUSY},   {"ENOSPC", ENOSPC},
                                 {"EOPNOTSUPP", EOPNOTSUPP}, {"ENOMEM", ENOMEM}, {"EMFILE", EMFILE}};

struct Rule {
  std::uint32_t number;
  const Narrowing* narrowing;
  std::uint32_t action;
};

std::optional<Rule> parse(const std::string& text) {
  std::string name = text.substr(0, text.find('='));
  std::string errno_name = text.find('=') == std::string::npos ? "ENOSYS" : text.substr(text.find('=') + 1);
  Rule rule{0, nullptr, 0};
  if (errno_name == "KILL") rule.action = SECCOMP_RET_KILL_PROCESS;
  for (const ErrnoName& known : kErrnos) {
    if (errno_name == known.name) rule.action = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(known.number);
  }
  std::string call = name.substr(0, name.find(':'));
  bool found = false;
  for (const Call& known : kCalls) {
    if (call != known.name) continue;
    rule.number = known.number;
    found = true;
  }
  for (const Narrowing& known : kNarrowings) {
    if (name == known.name) rule.narrowing = &known;
  }
  bool narrowed_well = name == call || rule.narrowing != nullptr;
  if (!found || !narrowed_well || rule.action == 0) return std::nullopt;
  return rule;
}

using Filter = std::vector<sock_filter>;

sock_filter statement(int code, std::uint32_t value) { return BPF_STMT(static_cast<std::uint16_t>(code), value); }
sock_filter jump(int code, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return BPF_JUMP(static_cast<std::uint16_t>(code), value, yes, no);
}
sock_filter load(std::size_t offset) { return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }

// Each rule is independent and reloads its arguments: short, and easy to verify.
void add_rule(Filter& filter, const Rule& rule) {
  filter.push_back(load(offsetof(seccomp_data, nr)));
  if (rule.narrowing == nullptr) {
    filter.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, rule.number, 0, 1));
  } else {
    filter.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, rule.number, 0, 4));
    // Little-endian: the low half comes first.
    filter.push_back(load(offsetof(seccomp_data, args) + 8 * rule.narrowing->argument));
    filter.push_back(statement(BPF_ALU | BPF_AND | BPF_K, rule.narrowing->mask));
    bool any = rule.narrowing->value == 0;
    filter.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, rule.narrowing->value, any ? 1 : 0, any ? 0 : 1));
  }
  filter.push_back(statement(BPF_RET | BPF_K, rule.action));
}

bool install(const std::vector<Rule>& rules) {
  Filter filter;
  filter.push_back(load(offsetof(seccomp_data, arch)));
  filter.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  for (const Rule& rule : rules) add_rule(filter, rule);
  filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0) return true;
  if (errno != EACCES || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Rule> rules;
  int at = 1;
  for (; at < argc && std::strcmp(argv[at], "--") != 0; ++at) {
    std::optional<Rule> rule = parse(argv[at]);
    if (!rule) {
      std::fprintf(stderr, "wrap: cannot make `%s` fail: unknown call, narrowing or errno\n", argv[at]);
      return 99;
    }
    rules.push_back(*rule);
  }
  if (at + 1 >= argc) {
    std::fputs("usage: wrap CALL[=ERRNO|=KILL]… -- command…\n", stderr);
    return 99;
  }
  if (!install(rules)) {
    std::perror("wrap: seccomp");
    return 99;
  }
  ::execvp(argv[at + 1], argv + at + 1);
  std::perror("wrap: exec");
  return 99;
}
