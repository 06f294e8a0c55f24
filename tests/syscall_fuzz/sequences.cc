// sequences.cc: calls that reach something only together: open and read, rename and follow, connect and send.
// Invariant: make() makes each call, counts it and searches its result.
// Not here: processes, namespaces, keys (processes.cc), single calls (shapes.cc).
#include <asm/unistd.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>

#include "fuzz.h"

namespace fuzz {
namespace {

long open_any(Program& program, Word flags) {
  const char* path = any_path(program);
  if (program.random.one_in(2)) return make(program, __NR_openat, {word(AT_FDCWD), word(path), flags, 0644});
  return make(program, __NR_open, {word(path), flags, 0644});
}

void read_file(Program& program) {
  const long file = open_any(program, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  make(program, __NR_read, {word(file), word(output()), 4096});
  make(program, __NR_getdents64, {word(file), word(output()), 4096});
  make(program, __NR_fgetxattr, {word(file), word("user.canary"), word(output()), 4096});
}

void write_file(Program& program) {
  const Word how[] = {O_WRONLY,           O_RDWR, O_WRONLY | O_CREAT, O_WRONLY | O_TRUNC, O_WRONLY | O_CREAT | O_EXCL,
                      O_WRONLY | O_APPEND};
  const long file = open_any(program, program.random.any(how) | O_NONBLOCK);
  if (file >= 0) make(program, __NR_write, {word(file), value_for('b', program), 7});
}

void map_file(Program& program) {
  const long file = open_any(program, program.random.one_in(2) ? O_RDWR : O_RDONLY);
  if (file < 0) return;
  const bool writes = program.random.one_in(2);
  const long at =
      make(program, __NR_mmap, {0, 4096, word(writes ? PROT_READ | PROT_WRITE : PROT_READ), MAP_SHARED, word(file), 0});
  // The kernel writes for us and answers EFAULT, where writing here would end this process.
  if (at != -1 && writes) {
    const long other = make(program, __NR_openat, {word(AT_FDCWD), word("/etc/passwd"), O_RDONLY, 0});
    if (other >= 0) make(program, __NR_read, {word(other), word(at), 16});
  }
}

// Directories held open across renames, links that change while they are followed.
void walk_out(Program& program) {
  const char* name = any_path(program);
  make(program, __NR_mkdir, {word("swing"), 0755});
  const long inside = make(program, __NR_open, {word("swing"), O_RDONLY | O_DIRECTORY, 0});
  make(program, __NR_symlink, {word(name), word("swing/link")});
  make(program, __NR_renameat2,
       {word(AT_FDCWD), word("swing"), word(AT_FDCWD), word(any_path(program)), program.random.below(3)});
  if (inside < 0) return;
  make(program, __NR_openat, {word(inside), word("../../notes/diary.txt"), O_RDONLY, 0});
  make(program, __NR_openat, {word(inside), word("link"), O_RDWR | O_CREAT, 0644});
  make(program, __NR_linkat, {word(inside), word("link"), word(AT_FDCWD), word(any_path(program)), AT_SYMLINK_FOLLOW});
  make(program, __NR_mkdirat, {word(inside), word(any_path(program)), 0755});
  make(program, __NR_fchdir, {word(inside)});
  make(program, __NR_chdir, {word("/home/fuzz/project")});
}

void put_in_place(Program& program) {
  const char* from = program.random.one_in(2) ? "a.txt" : "sub";
  const char* to = any_path(program);
  switch (program.random.below(5)) {
    case 0: make(program, __NR_rename, {word(from), word(to)}); break;
    case 1: make(program, __NR_link, {word(from), word(to)}); break;
    case 2:
      make(program, __NR_renameat2, {word(AT_FDCWD), word(from), word(AT_FDCWD), word(to), 2 /* RENAME_EXCHANGE */});
      break;
    case 3:
      make(program, __NR_symlink, {word(to), word("link-made")});
      make(program, __NR_open, {word("link-made"), O_RDWR | O_CREAT, 0644});
      make(program, __NR_unlink, {word("link-made")});
      break;
    default: {
      const long file = make(program, __NR_open, {word("."), O_TMPFILE | O_RDWR, 0644});
      const std::string name = "/proc/self/fd/" + std::to_string(file);
      make(program, __NR_linkat,
           {word(AT_FDCWD), word(scratch_text(name)), word(AT_FDCWD), word(to), AT_SYMLINK_FOLLOW});
      break;
    }
  }
}

// A repository made step by step below the workspace, with a hook in it.
void make_repository(Program& program) {
  const char* tops[] = {"sub/.git", "deep/.git", "deep", "sub", "new.git", ".git/modules/m", ".git/worktrees/w"};
  const std::string top = program.random.any(tops);
  for (const char* each : {"", "/objects", "/refs", "/hooks"})
    make(program, __NR_mkdir, {word(scratch_text(top + each)), 0755});
  const char* files[][2] = {
      {"/HEAD", "ref: refs/heads/x\n"}, {"/config", "[core]\n\tfsmonitor = x\n"}, {"/hooks/post-merge", "#!/bin/sh\n"}};
  for (const auto& [name, content] : files) {
    const long file = make(program, __NR_open, {word(scratch_text(top + name)), O_WRONLY | O_CREAT, 0755});
    if (file >= 0) make(program, __NR_write, {word(file), word(content), std::strlen(content)});
  }
}

void connect_out(Program& program) {
  const Word family = value_for('g', program);
  const long end = make(program, __NR_socket, {family, value_for('y', program), 0});
  if (end < 0) return;
  const Word address = value_for('a', program);
  const Word length = value_for('a', program);
  make(program, __NR_connect, {word(end), address, length});
  make(program, __NR_sendto,
       {word(end), word("attack\n"), 7, MSG_NOSIGNAL, program.random.one_in(2) ? address : 0, length});
  make(program, __NR_recvfrom, {word(end), word(output()), 256, MSG_DONTWAIT});
}

// A descriptor that goes through a socket, and comes back.
void pass_descriptor(Program& program) {
  int* ends = reinterpret_cast<int*>(output_buffer(kOutput - 64));
  if (make(program, __NR_socketpair, {AF_UNIX, SOCK_STREAM, 0, word(ends)}) != 0) return;
  char* control = scratch(CMSG_SPACE(sizeof(int)));
  auto* message = reinterpret_cast<msghdr*>(scratch(sizeof(msghdr)));
  auto* vector = reinterpret_cast<iovec*>(scratch(sizeof(iovec)));
  *vector = {output_buffer(kOutput / 2), 1};
  std::memset(message, 0, sizeof *message);
  message->msg_iov = vector;
  message->msg_iovlen = 1;
  message->msg_control = control;
  message->msg_controllen = CMSG_SPACE(sizeof(int));
  cmsghdr* head = CMSG_FIRSTHDR(message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  const int sent = any_descriptor(program);
  std::memcpy(CMSG_DATA(head), &sent, sizeof sent);
  const int pair[2] = {ends[0], ends[1]};
  if (make(program, __NR_sendmsg, {word(pair[0]), word(message), 0}) < 0) return;
  if (make(program, __NR_recvmsg, {word(pair[1]), word(message), MSG_DONTWAIT}) < 0) return;
  int got = -1;
  std::memcpy(&got, CMSG_DATA(head), sizeof got);
  keep_descriptor(program, got);
  make(program, __NR_openat, {word(got), word("../notes/diary.txt"), O_RDONLY});
}

void move_bytes(Program& program) {
  const long from = open_any(program, O_RDONLY | O_NONBLOCK);
  const long to = open_any(program, O_RDWR | O_CREAT | O_NONBLOCK);
  switch (program.random.below(3)) {
    case 0: make(program, __NR_sendfile, {word(to), word(from), 0, 4096}); break;
    case 1: make(program, __NR_copy_file_range, {word(from), 0, word(to), 0, 4096, 0}); break;
    default: {
      const int* ends = reinterpret_cast<int*>(output_buffer(kOutput - 64));
      if (make(program, __NR_pipe2, {word(ends), O_NONBLOCK}) != 0) return;
      make(program, __NR_splice, {word(from), 0, word(ends[1]), 0, 4096, 0});
      make(program, __NR_splice, {word(ends[0]), 0, word(to), 0, 4096, 0});
      break;
    }
  }
  make(program, __NR_pread64, {word(to), word(output()), 4096, 0});
}

// Modes, owners, times and attributes: on one backend the supervisor changes them for the program.
void change_metadata(Program& program) {
  const char* path = any_path(program);
  switch (program.random.below(7)) {
    case 0: make(program, __NR_chmod, {word(path), value_for('m', program)}); break;
    case 1:
      make(program, __NR_fchownat, {word(AT_FDCWD), word(path), ::getuid(), ::getgid(), value_for('e', program)});
      break;
    case 2:
      make(program, __NR_utimensat, {word(AT_FDCWD), word(path), value_for('T', program), value_for('e', program)});
      break;
    case 3: make(program, __NR_setxattr, {word(path), word("user.canary"), word("x"), 1, 0}); break;
    case 4: make(program, __NR_lremovexattr, {word(path), word("user.canary")}); break;
    case 5: make(program, __NR_truncate, {word(path), 3}); break;
    default:
      make(program, __NR_getxattr, {word(path), word("user.canary"), word(output()), 256});
      make(program, __NR_readlink, {word(path), word(output()), 256});
      break;
  }
}

// A second process exchanges a directory and a link out of the workspace, while this one names files through it.
void swap_directories(Program& program) {
  if (program.depth >= 2 || program.counters->forks >= 12) return;
  ++program.counters->forks;
  make(program, __NR_mkdir, {word("swap"), 0755});
  make(program, __NR_symlink, {word(program.random.one_in(2) ? "../notes" : ".git"), word("swap-link")});
  const pid_t parent = ::getpid();
  const long child = ::syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    for (int i = 0; i < 20000 && ::getppid() == parent; ++i)
      ::syscall(__NR_renameat2, AT_FDCWD, "swap", AT_FDCWD, "swap-link", 2);
    ::_exit(0);
  }
  if (child < 0) return;
  static constexpr const char* kThrough[] = {"swap/diary.txt", "swap/new",  "swap/hooks/pre-commit",
                                             "swap/config",    "swap/tool", "swap/../.mcp.json"};
  for (int i = 0; i < 24; ++i) {
    const char* path = program.random.any(kThrough);
    switch (program.random.below(8)) {
      case 0: make(program, __NR_chmod, {word(path), 0777}); break;
      case 1: make(program, __NR_utimensat, {word(AT_FDCWD), word(path), 0, 0}); break;
      case 2: {
        const long file = make(program, __NR_open, {word(path), O_RDWR | O_CREAT | O_NONBLOCK, 0644});
        if (file < 0) break;
        make(program, __NR_read, {word(file), word(output()), 256});
        make(program, __NR_write, {word(file), word("attack\n"), 7});
        break;
      }
      case 3: make(program, __NR_setxattr, {word(path), word("user.new"), word("x"), 1, 0}); break;
      case 4: make(program, __NR_rename, {word("a.txt"), word(path)}); break;
      case 5: make(program, __NR_unlink, {word(path)}); break;
      case 6: make(program, __NR_truncate, {word(path), 0}); break;
      default: make(program, __NR_link, {word(path), word("linked")}); break;
    }
  }
  ::kill(static_cast<pid_t>(child), SIGKILL);
}

// Names reached from a directory whose own path is too long to write down, or is gone.
void from_far_below(Program& program) {
  const std::string name(200, 'd');
  const bool long_way = program.random.one_in(2);
  int depth = 0;
  if (long_way)
    for (; depth < 22; ++depth)
      if (::mkdir(name.c_str(), 0755) != 0 || ::chdir(name.c_str()) != 0) break;
  if (!long_way) {
    make(program, __NR_mkdir, {word("gone"), 0755});
    make(program, __NR_chdir, {word("gone")});
    make(program, __NR_rmdir, {word("../gone")});
  }
  std::string up;
  for (int i = 0; i < std::max(depth, 1); ++i) up += "../";
  static constexpr const char* kNames[] = {
      ".mcp.json", ".idea", ".envrc", "../notes/diary.txt", ".git/hooks/post-checkout", "keep-new"};
  for (int i = 0; i < 3; ++i) {
    const char* path = scratch_text(up + program.random.any(kNames));
    if (program.random.one_in(2))
      make(program, __NR_open, {word(path), O_RDWR | O_CREAT, 0644});
    else
      make(program, __NR_mkdir, {word(path), 0755});
  }
  make(program, __NR_chdir, {word("/home/fuzz/project")});
}

// Reading and writing files more often: most canaries are files.
constexpr Sequence kSequences[] = {read_file,       read_file,       read_file,       write_file,      write_file,
                                   write_file,      map_file,        walk_out,        put_in_place,    put_in_place,
                                   pass_descriptor, make_repository, change_metadata, change_metadata, swap_directories,
                                   from_far_below,  move_bytes,      connect_out,     connect_out};

}  // namespace

void any_sequence(Program& program) {
  const auto others = process_sequences();
  const Word at = program.random.below(std::size(kSequences) + others.size());
  (at < others.size() ? others[at] : kSequences[at - others.size()])(program);
}

}  // namespace fuzz
