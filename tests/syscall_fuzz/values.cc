// values.cc: plausible arguments: descriptors of earlier calls, valid flags, addresses, processes.
// Invariant: process numbers are 0, this process, its children, the canary and the first few of this pid namespace;
// addresses are loopback or local. tests/syscall_fuzz/run makes the namespaces in which these are the test's own.
// Not here: paths (paths.cc), which call gets which value (shapes.cc).
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "fuzz.h"

namespace fuzz {
namespace {

constexpr Word kOpenFlags[] = {O_CREAT,    O_EXCL,    O_TRUNC,   O_APPEND,  O_NOFOLLOW, O_DIRECTORY, O_PATH,
                               O_NONBLOCK, O_CLOEXEC, O_TMPFILE, O_NOATIME, O_SYNC,     O_NOCTTY};
constexpr Word kModes[] = {0644, 0755, 0600, 0, 0777, 04755, 02755, 06777, 01777, 0444};
constexpr Word kAtFlags[] = {0,
                             0,
                             AT_SYMLINK_NOFOLLOW,
                             AT_SYMLINK_FOLLOW,
                             AT_EMPTY_PATH,
                             AT_REMOVEDIR,
                             AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW,
                             AT_NO_AUTOMOUNT,
                             AT_EACCESS};
constexpr Word kFamilies[] = {AF_UNIX,   AF_UNIX,  AF_INET, AF_INET, AF_INET6, AF_NETLINK,
                              AF_PACKET, AF_VSOCK, AF_ALG,  AF_TIPC, AF_KEY};
constexpr Word kTypes[] = {
    SOCK_STREAM, SOCK_STREAM, SOCK_DGRAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW, SOCK_STREAM | SOCK_NONBLOCK};
constexpr Word kProtocols[] = {0,
                               0,
                               0,
                               0,
                               IPPROTO_TCP,
                               IPPROTO_UDP,
                               IPPROTO_ICMP,
                               IPPROTO_RAW,
                               262,
                               NETLINK_ROUTE,
                               NETLINK_KOBJECT_UEVENT,
                               NETLINK_AUDIT};
constexpr Word kNamespaces[] = {CLONE_NEWUSER,
                                CLONE_NEWNS,
                                CLONE_NEWPID,
                                CLONE_NEWNET,
                                CLONE_NEWIPC,
                                CLONE_NEWUTS,
                                CLONE_NEWCGROUP,
                                CLONE_FS,
                                CLONE_FILES,
                                CLONE_NEWUSER | CLONE_NEWNS,
                                CLONE_NEWUSER | CLONE_NEWNET,
                                0x80};
constexpr Word kIoctls[] = {TIOCSTI,
                            TIOCLINUX,
                            TIOCSCTTY,
                            TIOCNOTTY,
                            TIOCGWINSZ,
                            FIONREAD,
                            FIONBIO,
                            FIOASYNC,
                            TIOCGPTN,
                            TIOCSPTLCK,
                            TIOCGPTPEER,
                            TCGETS,
                            TIOCSPGRP,
                            TIOCSWINSZ,
                            SIOCGIFCONF,
                            SIOCSIFFLAGS,
                            0x80086601 /* FS_IOC_GETFLAGS */,
                            0x40086602 /* FS_IOC_SETFLAGS */,
                            0x40049409 /* FICLONE */,
                            0xb703 /* NS_GET_NSTYPE */,
                            0xb701 /* NS_GET_USERNS */,
                            0xb702 /* NS_GET_PARENT */,
                            0x5421 | (1ULL << 32),
                            TIOCSTI | (1ULL << 32)};
constexpr Word kFcntls[] = {F_DUPFD,    F_GETFD,  F_SETFD,      F_GETFL,     F_SETFL,     F_SETOWN,       F_SETSIG,
                            F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS, F_DUPFD_CLOEXEC};
constexpr Word kPrctls[] = {
    PR_SET_DUMPABLE,  PR_GET_DUMPABLE,   PR_SET_NAME,        PR_SET_KEEPCAPS,     PR_SET_CHILD_SUBREAPER,
    PR_SET_PDEATHSIG, PR_CAP_AMBIENT,    PR_CAPBSET_READ,    PR_SET_MM,           PR_SET_PTRACER,
    PR_GET_SECCOMP,   PR_SET_TIMERSLACK, PR_SET_THP_DISABLE, PR_GET_NO_NEW_PRIVS, PR_SET_SECUREBITS,
    PR_SCHED_CORE};
constexpr Word kPtraces[] = {PTRACE_ATTACH, PTRACE_SEIZE,  PTRACE_PEEKTEXT,  PTRACE_POKETEXT,  PTRACE_PEEKUSER,
                             PTRACE_CONT,   PTRACE_DETACH, PTRACE_INTERRUPT, PTRACE_GETSIGINFO};
constexpr Word kKeyCommands[] = {
    KEYCTL_GET_KEYRING_ID, KEYCTL_SEARCH, KEYCTL_READ,    KEYCTL_DESCRIBE, KEYCTL_JOIN_SESSION_KEYRING,
    KEYCTL_LINK,           KEYCTL_REVOKE, KEYCTL_SETPERM, KEYCTL_CLEAR,    KEYCTL_GET_PERSISTENT};
constexpr Word kSpecialKeys[] = {static_cast<Word>(KEY_SPEC_USER_KEYRING), static_cast<Word>(KEY_SPEC_SESSION_KEYRING),
                                 static_cast<Word>(KEY_SPEC_USER_SESSION_KEYRING), 0, 1};
constexpr const char* kTypesOfFileSystem[] = {"tmpfs",  "proc",    "sysfs", "overlay", "ramfs",
                                              "mqueue", "cgroup2", "fuse",  "devpts",  "bpf"};
constexpr Word kMountFlags[] = {0,
                                MS_BIND,
                                MS_BIND | MS_REC,
                                MS_REMOUNT | MS_BIND,
                                MS_REMOUNT | MS_BIND | MS_RDONLY,
                                MS_MOVE,
                                MS_SHARED,
                                MS_PRIVATE | MS_REC,
                                MS_NOSUID};
constexpr const char* kNames[] = {"user.canary",
                                  "user.new",
                                  "trusted.x",
                                  "security.capability",
                                  "system.posix_acl_access",
                                  "canary",
                                  "new-queue",
                                  "user.overlay.opaque",
                                  "size",
                                  "source"};
constexpr const char* kKeyTypes[] = {"user", "keyring", "logon"};
constexpr Word kIds[] = {static_cast<Word>(-1), 0, 65534, 1};
constexpr Word kSignals[] = {0, SIGCHLD, SIGCONT, SIGWINCH, SIGUSR1, SIGTERM, SIGSTOP, SIGKILL};
constexpr const char* kContents[] = {"attack\n",
                                     "#!/bin/sh\nexit 0\n",
                                     "[core]\n\thooksPath = /tmp\n",
                                     "0 0 1\n",
                                     "\x01\x00\x00\x00\x02\x00\x00\x00",
                                     "1000",
                                     "-1000",
                                     "ref: refs/heads/x\n"};

Word flags_of(Random& random, std::span<const Word> bits, Word most) {
  Word flags = 0;
  for (Word i = random.below(most + 1); i > 0; --i) flags |= bits[random.below(bits.size())];
  return flags;
}

Word address_of(const void* at) { return static_cast<Word>(reinterpret_cast<std::uintptr_t>(at)); }

Word any_process(Program& program) {
  switch (program.random.below(10)) {
    case 0: return 0;
    case 1: return static_cast<Word>(::getpid());
    case 2: return static_cast<Word>(program.children[program.random.below(program.children.size())]);
    case 3: return 1 + program.random.below(4);
    case 4: return static_cast<Word>(-1);
    default: return static_cast<Word>(program.sibling);
  }
}

Word g_address_length = 0;  // of the last address; its argument follows

Word any_address(Program& program) {
  Random& random = program.random;
  auto* at = scratch(sizeof(sockaddr_un) + 8);
  std::memset(at, 0, sizeof(sockaddr_un) + 8);
  if (random.one_in(3)) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(random.one_in(6) ? 53 : 4711);
    where.sin_addr.s_addr = htonl(random.one_in(4) ? INADDR_ANY : INADDR_LOOPBACK);
    std::memcpy(at, &where, sizeof where);
    g_address_length = sizeof where;
  } else if (random.one_in(4)) {
    sockaddr_in6 where{};
    where.sin6_family = AF_INET6;
    where.sin6_port = htons(4711);
    where.sin6_addr = in6addr_loopback;
    std::memcpy(at, &where, sizeof where);
    g_address_length = sizeof where;
  } else {
    static constexpr const char* kSockets[] = {"/home/fuzz/agent.sock",
                                               "/tmp/canary.sock",
                                               "/run/fuzz/control.sock",
                                               "../agent.sock",
                                               "sub/../../agent.sock",
                                               "new-socket",
                                               ".mcp.json",
                                               "/tmp/new.sock"};
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    const char* path = random.any(kSockets);
    if (random.one_in(3)) {
      std::memcpy(where.sun_path, "\0pinfold-canary", 15);
      g_address_length = offsetof(sockaddr_un, sun_path) + 15;
    } else {
      std::strncpy(where.sun_path, path, sizeof where.sun_path - 1);
      g_address_length = sizeof where;
    }
    std::memcpy(at, &where, sizeof where);
  }
  return address_of(at);
}

Word vector_of(Program& program, void* base, std::size_t length) {
  auto* vector = reinterpret_cast<iovec*>(scratch(sizeof(iovec) * 8));
  for (int i = 0; i < 8; ++i) vector[i] = {base, length};
  static_cast<void>(program);
  return address_of(vector);
}

Word message(Program& program, void* base, std::size_t length, bool named) {
  auto* head = reinterpret_cast<msghdr*>(scratch(sizeof(msghdr) + 64));
  std::memset(head, 0, sizeof(msghdr) + 64);
  head->msg_iov = reinterpret_cast<iovec*>(vector_of(program, base, length));
  head->msg_iovlen = 1;
  if (named && program.random.one_in(2)) {
    head->msg_name = reinterpret_cast<void*>(any_address(program));
    head->msg_namelen = static_cast<socklen_t>(std::exchange(g_address_length, 0));
  }
  return address_of(head);
}

Word times(Program& program) {
  if (program.random.one_in(3)) return 0;
  auto* pair = reinterpret_cast<std::int64_t*>(scratch(4 * sizeof(std::int64_t)));
  for (int i = 0; i < 4; ++i) pair[i] = i % 2 == 0 ? static_cast<std::int64_t>(program.random.below(2000000000)) : 0;
  return address_of(pair);
}

const Mapping& any_mapping(Program& program) { return program.mappings[program.random.below(program.mappings.size())]; }

}  // namespace

int any_descriptor(Program& program) {
  if (program.random.one_in(16)) return static_cast<int>(program.random.below(16));
  return program.descriptors[program.random.below(kSlots)];
}

int any_directory(Program& program) { return program.random.one_in(2) ? AT_FDCWD : any_descriptor(program); }

void keep_descriptor(Program& program, long descriptor) {
  if (descriptor < 3 || descriptor >= kFirstOwnDescriptor) return;
  int& slot = program.descriptors[program.random.below(kSlots)];
  if (slot > 2 && slot != descriptor) ::close(slot);
  slot = static_cast<int>(descriptor);
}

Word value_for(char kind, Program& program) {
  Random& random = program.random;
  switch (kind) {
    case 'p': return address_of(any_path(program));
    case 'd': return static_cast<Word>(any_directory(program));
    case 'f': return static_cast<Word>(any_descriptor(program));
    case 'D': return 3 + random.below(60);
    case 'o': return random.below(3) | flags_of(random, kOpenFlags, 2);
    case 'm': return random.any(kModes);
    case 'G': return random.any(kModes) | random.any<Word>({S_IFIFO, S_IFSOCK, S_IFREG, S_IFCHR, S_IFBLK});
    case 'e': return random.any(kAtFlags);
    case 'b': return address_of(scratch_text(random.any(kContents)));
    case 'B': return address_of(output_buffer(random.below(3) * (kOutput / 4)));
    case 'n': return random.any<Word>({16, 256, 4096, 16384});
    case 'l': return random.any<Word>({1, 7, 8, 24, 4096});
    case 'c': return 1 + random.below(4);
    case 'q': return random.any<Word>({0, 0, 0, 1, 4096});
    case 'w': return random.one_in(6) ? Word{1} << random.below(20) : random.below(9);
    case 'r': return random.one_in(2) ? 0 : Word{1} << random.below(20);
    case 'R': return random.next();
    case 'i': return any_process(program);
    case 's': return random.any(kSignals);
    case 'u': return random.one_in(2) ? ::getuid() : random.any(kIds);
    case 'x': return address_of(random.any(kNames));
    case 'X': return address_of(random.any(kKeyTypes));
    case 't': {
      auto* pair = reinterpret_cast<std::int64_t*>(scratch(16));
      pair[0] = 0;
      pair[1] = 100'000;
      return address_of(pair);
    }
    case 'T': return times(program);
    case 'a':
      if (g_address_length != 0) return std::exchange(g_address_length, 0);
      return any_address(program);
    case 'L': {
      auto* length = scratch(8);
      const std::uint64_t value = 4096;
      std::memcpy(length, &value, sizeof value);
      return address_of(length);
    }
    case 'v': return vector_of(program, reinterpret_cast<void*>(value_for('b', program)), 7);
    case 'V': return vector_of(program, output_buffer(0), 4096);
    case '1':  // memory of the canary process
      return vector_of(program, reinterpret_cast<void*>(0x200000000), 256);
    case 'h': return message(program, reinterpret_cast<void*>(value_for('b', program)), 7, true);
    case 'H': return message(program, output_buffer(0), 4096, false);
    case 'g': return random.any(kFamilies);
    case 'y': return random.any(kTypes);
    case 'Y': return random.any(kProtocols);
    case 'j': return random.any<Word>({SOL_SOCKET, IPPROTO_TCP, IPPROTO_IP, IPPROTO_IPV6});
    case 'K': return random.any(kNamespaces);
    case 'I': return random.any(kIoctls);
    case 'C': return random.any(kFcntls);
    case 'O': return random.any(kPrctls);
    case 'Q': return random.any(kPtraces);
    case 'J': return random.any(kKeyCommands);
    case 'k': return random.any(kSpecialKeys);
    case 'E': return address_of(random.any(kTypesOfFileSystem));
    case 'F': return random.any(kMountFlags);
    case 'N': return random.any<Word>({4096, 8192, 65536});
    case 'P': return random.any<Word>({PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC, PROT_NONE});
    case 'M':
      return random.any<Word>({MAP_SHARED, MAP_PRIVATE, MAP_PRIVATE | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS});
    case 'A': return address_of(any_mapping(program).address);
    case 'U': return random.one_in(2) ? 0x50464e44 : 0;
    case 'W': return 0x40000001;  // WNOHANG | __WALL
    case '2': return address_of(output_buffer(kOutput - 64));
    case '3': return 2 + random.below(2);  // seccomp: only questions
    case '8': return 8;
    case '9': return random.any<Word>({3, 10});  // syslog: read, size
    default: return 0;
  }
}

}  // namespace fuzz
