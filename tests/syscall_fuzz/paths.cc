// paths.cc: paths of the canary world: workspace, protected names, hidden and outside files, /proc, detours to them.
// Invariant: the same names as in world.py.
// Not here: other arguments (values.cc).
#include "fuzz.h"

namespace fuzz {
namespace {

constexpr const char* kInside[] = {
    "a.txt",
    "sub",
    "sub/b.txt",
    "new1",
    "new2",
    "new3",
    "sub/new4",
    "deep/er",
    "link-out",
    "link-dir",
    "link-dir/diary.txt",
    "link-new",
    "link-protected",
    "script.sh",
    ".",
    "./",
    "sub/..",
    "a.txt/.",
    "new1/",
    "odd\x01\xff\n name",
    "sub/bare.git",
};
constexpr const char* kProtected[] = {
    ".git",
    ".git/hooks",
    ".git/hooks/pre-commit",
    ".git/hooks/post-checkout",
    ".git/config",
    ".git/HEAD",
    ".git/config.worktree",
    ".git/commondir",
    ".vscode",
    ".vscode/tasks.json",
    ".vscode/new.json",
    ".envrc",
    ".mcp.json",
    ".idea",
    ".bashrc",
    ".husky/x",
    ".husky",
    "keep.txt",
    "keep-new",
    "sub/.git",
    "sub/.git/hooks",
    "sub/.git/hooks/post-merge",
    "sub/.git/config",
    "sub/.envrc",
    "pinfold.toml",
    "./.git/../.envrc",
    "sub/../.mcp.json",
    "//home/fuzz/project/.envrc",
    "/proc/self/cwd/.envrc",
    "/proc/self/cwd/.mcp.json",
    "/proc/thread-self/cwd/.idea",
};
constexpr const char* kOutside[] = {
    "/home/fuzz/notes/diary.txt",
    "/home/fuzz/.ssh/id_ed25519",
    "/home/fuzz/.aws/credentials",
    "/home/fuzz/.bashrc",
    "/home/fuzz/notes",
    "/home/fuzz/.config/pinfold/config.toml",
    "/home/fuzz",
    "/home/other/open/file.txt",
    "/home/other/open",
    "/home/other",
    "../notes/diary.txt",
    "../.bashrc",
    "..",
    "../..",
    "../../fuzz/.aws/credentials",
    "sub/../../notes/diary.txt",
    "//home//fuzz/./notes/diary.txt",
    ".env",
    "hidden.txt",
    "/home/fuzz/notes/link",
    "/home/fuzz/project/../notes/new",
    "/home/fuzz/shared/read.txt",
    "/home/fuzz/shared/new",
    "/home/fuzz/shared",
    "/home/fuzz/notes/new",
    "/dev/shm/canary",
    "/dev/shm/new",
    "/tmp/canary",
    "/tmp/new",
    "/var/tmp/canary",
    "/var/tmp/new",
    "/tmp",
    "/dev/shm",
    "/run/fuzz/control.sock",
    "/run/fuzz",
    "/home/fuzz/agent.sock",
    "/tmp/canary.sock",
    "/",
    "/home",
    "/home/fuzz/notes/fifo",
    "/etc/passwd",
    "/etc/shadow",
    "/dev/null",
    "/dev/ptmx",
    "/dev/tty",
    "/dev/fuse",
    "/dev/mqueue/canary",
    "/dev/mqueue",
    "/bin/true",
    "",
};
constexpr const char* kProc[] = {
    "/proc/self/environ",
    "/proc/self/cmdline",
    "/proc/self/mem",
    "/proc/self/exe",
    "/proc/self/root/home/fuzz/notes/diary.txt",
    "/proc/self/cwd/../notes/diary.txt",
    "/proc/self/fd/3",
    "/proc/self/fd/4",
    "/proc/self/fd/5",
    "/proc/self/fd/6",
    "/proc/self/task",
    "/proc/self/ns/mnt",
    "/proc/self/ns/user",
    "/proc/self/ns/net",
    "/proc/self/uid_map",
    "/proc/self/setgroups",
    "/proc/self/oom_score_adj",
    "/proc/self/mountinfo",
    "/proc/self/attr/current",
    "/proc/self/coredump_filter",
    "/proc/1/environ",
    "/proc/1/root/home/fuzz/notes/diary.txt",
    "/proc/1/cwd",
    "/proc/1/root",
    "/proc/1/mem",
    "/proc/1/cmdline",
    "/proc/1/ns/mnt",
    "/proc/1/fd",
    "/proc/2/environ",
    "/proc/2/root",
    "/proc/2/root/home/fuzz/notes/diary.txt",
    "/proc/2/cmdline",
    "/proc/3/environ",
    "/proc/3/root/home/fuzz/notes/diary.txt",
    "/proc",
    "/proc/sysvipc/shm",
    "/proc/keys",
    "/proc/net/unix",
    "/proc/net/tcp",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/kcore",
    "/proc/mounts",
    "/sys/fs/cgroup",
    "/sys/kernel/uevent_helper",
};
constexpr const char* kOfSibling[] = {"environ",
                                      "cmdline",
                                      "mem",
                                      "root/home/fuzz/notes/diary.txt",
                                      "root/home/fuzz/.bashrc",
                                      "cwd/diary.txt",
                                      "cwd",
                                      "root",
                                      "fd/0",
                                      "fd",
                                      "oom_score_adj",
                                      "ns/mnt",
                                      "ns/user",
                                      "comm",
                                      "task",
                                      "maps",
                                      "coredump_filter",
                                      "timerslack_ns",
                                      "exe"};

const char* plain_path(Program& program) {
  Random& random = program.random;
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2: return random.any(kInside);
    case 3:
    case 4:
    case 5: return random.any(kProtected);
    case 6:
    case 7:
    case 8: return random.any(kOutside);
    case 9: return random.any(kProc);
    case 10: return scratch_text("/proc/" + std::to_string(program.sibling) + "/" + random.any(kOfSibling));
    default: {
      std::string joined =
          random.one_in(2) ? "/proc/self/fd/" + std::to_string(any_descriptor(program)) : random.any(kInside);
      joined += "/";
      joined += random.one_in(2) ? random.any(kProtected) : random.any(kOutside);
      if (random.one_in(20)) joined.append(300, 'x');
      return scratch_text(joined);
    }
  }
}

}  // namespace

const char* any_path(Program& program) {
  const char* path = plain_path(program);
  return program.random.one_in(3) ? flipping_path(path, plain_path(program)) : path;
}

}  // namespace fuzz
