// processes.cc: sequences about other processes, namespaces, mounts, keys, System V and POSIX objects, rings, exec.
// Invariant: make() makes each call, counts it and searches its result, but for calls from which a child would return.
// Not here: files and sockets (sequences.cc).
#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include "fuzz.h"

namespace fuzz {
namespace {

void trace_canary(Program& program) {
  const Word target = value_for('i', program);
  if (static_cast<pid_t>(target) <= 0 || static_cast<pid_t>(target) == ::getpid() ||
      static_cast<pid_t>(target) == ::getppid())
    return;
  if (make(program, __NR_ptrace, {program.random.one_in(2) ? word(PTRACE_ATTACH) : word(PTRACE_SEIZE), target, 0, 0}) !=
      0)
    return;
  make(program, __NR_wait4, {target, word(output()), WNOHANG | __WALL, 0});
  make(program, __NR_ptrace, {word(PTRACE_PEEKTEXT), target, 0x200000000, word(output())});
  make(program, __NR_ptrace, {word(PTRACE_POKETEXT), target, 0x200000000, 0x41});
  make(program, __NR_ptrace, {word(PTRACE_DETACH), target, 0, 0});
}

void memory_of_canary(Program& program) {
  const Word target = word(program.sibling);
  make(program, __NR_process_vm_readv, {target, value_for('V', program), 1, value_for('1', program), 1, 0});
  make(program, __NR_process_vm_writev, {target, value_for('v', program), 1, value_for('1', program), 1, 0});
  const std::string name = "/proc/" + std::to_string(program.sibling) + "/mem";
  const long memory = make(program, __NR_open, {word(scratch_text(name)), O_RDWR, 0});
  if (memory < 0) return;
  make(program, __NR_pread64, {word(memory), word(output()), 256, 0x200000000});
  make(program, __NR_pwrite64, {word(memory), word("attack\n"), 7, 0x200000000});
}

void change_canary(Program& program) {
  const Word target = word(program.sibling);
  auto* limit = reinterpret_cast<rlimit*>(scratch(sizeof(rlimit)));
  *limit = {7, 7};
  switch (program.random.below(7)) {
    case 0: make(program, __NR_prlimit64, {target, RLIMIT_CORE, word(limit), word(output())}); break;
    case 1: make(program, __NR_setpriority, {PRIO_PROCESS, target, 7}); break;
    case 2: make(program, __NR_kill, {target, program.random.one_in(2) ? word(SIGUSR2) : word(SIGKILL)}); break;
    case 3: {
      const long end = make(program, __NR_pidfd_open, {target, 0});
      make(program, __NR_pidfd_getfd, {word(end), 0, 0});
      make(program, __NR_pidfd_send_signal, {word(end), SIGUSR2, 0, 0});
      break;
    }
    case 4: make(program, __NR_ioprio_set, {1, target, 3 << 13}); break;
    case 5:
      *reinterpret_cast<Word*>(limit) = 1;
      make(program, __NR_sched_setaffinity, {target, 8, word(limit)});
      break;
    default:
      make(program, __NR_setpriority, {PRIO_USER, program.random.one_in(2) ? Word{::getuid()} : Word{0}, 9});
      break;
  }
}

void mount_in_namespace(Program& program) {
  make(program, __NR_unshare, {CLONE_NEWUSER | CLONE_NEWNS});
  const char* over = any_path(program);
  make(program, __NR_mount, {word("none"), word(over), word("tmpfs"), 0, 0});
  make(program, __NR_mount, {word(any_path(program)), word(any_path(program)), 0, MS_BIND, 0});
  const long tree = make(program, __NR_open_tree, {word(AT_FDCWD), word(any_path(program)), 1 /* OPEN_TREE_CLONE */});
  make(program, __NR_move_mount, {word(tree), word(""), word(AT_FDCWD), word(any_path(program)), 4 /* F_EMPTY_PATH */});
}

void open_by_handle(Program& program) {
  auto* handle = reinterpret_cast<std::uint32_t*>(output_buffer(0));
  handle[0] = 128;
  if (make(program, __NR_name_to_handle_at,
           {word(AT_FDCWD), word(any_path(program)), word(handle), word(output_buffer(4096)), 0}) != 0)
    return;
  const long file = make(program, __NR_open_by_handle_at, {word(any_descriptor(program)), word(handle), O_RDWR});
  if (file >= 0) make(program, __NR_read, {word(file), word(output()), 4096});
}

void keys(Program& program) {
  const Word ring = program.random.one_in(2) ? word(KEY_SPEC_USER_KEYRING) : word(KEY_SPEC_USER_SESSION_KEYRING);
  long key = make(program, __NR_keyctl, {KEYCTL_SEARCH, ring, word("user"), word("pinfold-canary"), 0});
  if (key < 0) key = make(program, __NR_request_key, {word("user"), word("pinfold-canary"), 0, 0});
  make(program, __NR_keyctl, {KEYCTL_READ, word(key), word(output()), 256});
  if (program.random.one_in(3)) make(program, __NR_keyctl, {KEYCTL_UPDATE, word(key), word("attack"), 6});
  if (program.random.one_in(4)) make(program, __NR_add_key, {word("user"), word("pinfold-new"), word("x"), 1, ring});
}

void shared_ipc(Program& program) {
  const long memory = make(program, __NR_shmget, {0x50464e44, 4096, 0600});
  if (memory >= 0) {
    make(program, __NR_shmat, {word(memory), 0, 0});
    if (program.random.one_in(4)) make(program, __NR_shmctl, {word(memory), 0 /* IPC_RMID */, 0});
  }
  const long queue = make(program, __NR_mq_open, {word("canary"), O_RDWR | O_NONBLOCK, 0, 0});
  if (queue >= 0) make(program, __NR_mq_timedreceive, {word(queue), word(output()), 8192, 0, 0});
  if (program.random.one_in(4)) make(program, __NR_mq_unlink, {word("canary")});
}

// One request through a ring: past every filter of system calls, if the ring exists.
void ring(Program& program) {
  auto* parameters = reinterpret_cast<io_uring_params*>(output_buffer(4096));
  const long ring = make(program, __NR_io_uring_setup, {4, word(parameters)});
  if (ring < 0) return;
  const io_uring_params p = *parameters;
  const long queue =
      make(program, __NR_mmap, {0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, word(ring), IORING_OFF_SQ_RING});
  const long entries =
      make(program, __NR_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, word(ring), IORING_OFF_SQES});
  if (queue == -1 || entries == -1) return;
  auto* entry = reinterpret_cast<io_uring_sqe*>(entries);
  std::memset(entry, 0, sizeof *entry);
  const char* path = any_path(program);
  entry->addr = word(path);
  entry->fd = AT_FDCWD;
  switch (program.random.below(3)) {
    case 0:
      entry->opcode = IORING_OP_OPENAT;
      entry->open_flags = O_RDWR | O_CREAT;
      entry->len = 0644;
      break;
    case 1: entry->opcode = IORING_OP_UNLINKAT; break;
    default:
      entry->opcode = IORING_OP_MKDIRAT;
      entry->len = 0755;
      break;
  }
  auto* base = reinterpret_cast<char*>(queue);
  auto* tail = reinterpret_cast<std::atomic<std::uint32_t>*>(base + p.sq_off.tail);
  reinterpret_cast<std::uint32_t*>(base + p.sq_off.array)[0] = 0;
  tail->store(1);
  make(program, __NR_io_uring_enter, {word(ring), 1, 1, 1 /* IORING_ENTER_GETEVENTS */, 0, 0});
}

void newer_calls(Program& program) {
  auto* how = reinterpret_cast<open_how*>(scratch(sizeof(open_how)));
  *how = {};
  how->flags = O_RDWR | (program.random.one_in(2) ? O_CREAT : 0);
  how->mode = (how->flags & O_CREAT) != 0 ? 0644 : 0;
  const long file = make(program, __NR_openat2, {word(AT_FDCWD), word(any_path(program)), word(how), sizeof *how});
  if (file >= 0) make(program, __NR_read, {word(file), word(output()), 4096});
  auto* arguments = reinterpret_cast<clone_args*>(scratch(sizeof(clone_args)));
  std::memset(arguments, 0, sizeof *arguments);
  arguments->flags = CLONE_NEWUSER | CLONE_NEWNS;
  arguments->exit_signal = SIGCHLD;
  if (program.depth > 1) return;
  // The child must not return into this stack frame with the parent's duties.
  const long child = ::syscall(__NR_clone3, arguments, sizeof *arguments);
  if (child == 0) {
    ::mount("none", "/home/fuzz/notes", "tmpfs", 0, nullptr);
    ::_exit(0);
  }
  ++program.counters->made[__NR_clone3];
  if (child > 0) ++program.counters->succeeded[__NR_clone3];
}

void execute_program(Program& program) {
  static constexpr const char* kPrograms[] = {"/bin/true",
                                              "script.sh",
                                              "/proc/self/exe",
                                              "a.txt",
                                              "/home/fuzz/notes/tool",
                                              "/usr/bin/id",
                                              "/home/fuzz/project/script.sh"};
  const char* path = program.random.any(kPrograms);
  if (program.depth >= 2 || program.counters->forks >= 12) return;
  ++program.counters->forks;
  const long child = ::syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    const char* words[] = {"x", "--check-table", nullptr};
    const char* environment[] = {"LD_PRELOAD=/home/fuzz/notes/tool", nullptr};
    make(program, __NR_execve, {word(path), word(words), word(environment)});
    ::_exit(0);
  }
}

constexpr Sequence kSequences[] = {trace_canary, memory_of_canary, change_canary, mount_in_namespace, open_by_handle,
                                   keys,         shared_ipc,       ring,          newer_calls,        execute_program};

}  // namespace

std::span<const Sequence> process_sequences() { return kSequences; }

}  // namespace fuzz
