// table_files.cc: rows 1–3: reading secrets, writing outside, and the ways around a path.
// Not here: protected names (table_protect.cc), the policy's own paths (table_policy.cc).
#include "steps.h"
#include "table.h"

namespace escape {
namespace {

void add_reads(Rows& rows) {
  for (const char* file :
       {".ssh/id_rsa", ".aws/credentials", ".config/app/token", ".config/gh/hosts.yml", ".netrc", ".npmrc",
        ".git-credentials", ".docker/config.json", ".kube/config", ".gnupg/private-keys-v1.d/key",
        ".cargo/credentials.toml", ".local/share/keyrings/login.keyring", ".mozilla/firefox/p.default/cookies.sqlite",
        ".config/google-chrome/Default/Cookies", ".bash_history", ".cache/other/token", "documents/letter.txt"}) {
    rows.push_back({.number = 1,
                    .name = std::string("read ~/") + file,
                    .probe = {"read", std::string("{home}/") + file},
                    .obtains = Obtains::kSecret});
  }
  rows.push_back({.number = 1, .name = "list ~", .probe = {"find-in-list", "{home}", ".ssh"}});
  rows.push_back({.number = 1,
                  .name = "stat ~/.ssh/id_rsa",
                  .probe = {"stat", "{home}/.ssh/id_rsa"},
                  .steps = any_gap({step::kRead})});
  rows.push_back({.number = 1,
                  .name = "read another user's file",
                  .probe = {"read", "{base}/other/notes.txt"},
                  .obtains = Obtains::kSecret});
  for (const char* file : {"/etc/shadow", "/etc/gshadow"}) {
    rows.push_back({.number = 1,
                    .name = std::string("read ") + file,
                    .probe = {"read-amount", file},
                    .reach = Reach::kRootOnly,
                    .because = "it belongs to root",
                    .steps = absence({step::kHidden})});
  }
  rows.push_back({.number = 1,
                  .name = "read the canary's environ",
                  .probe = {"environment-of", "{canary}", "{secret}"},
                  .obtains = Obtains::kSecret,
                  .steps = absence({step::kProcesses})});
  rows.push_back({.number = 1,
                  .name = "search every environ",
                  .probe = {"search-all", "environ", "{secret}", "-environ"},
                  .obtains = Obtains::kSecret,
                  .steps = absence({step::kProcesses})});
  rows.push_back({.number = 1,
                  .name = "search every command line",
                  .probe = {"search-all", "cmdline", "{secret}", "-argument"},
                  .obtains = Obtains::kSecret,
                  .steps = any_gap({step::kProcesses})});
  rows.push_back({.number = 1,
                  .name = "read a raw disk",
                  .probe = {"read", "{disk}"},
                  .obtains = Obtains::kSecret,
                  .reach = Reach::kRootOnly,
                  .because = "disks belong to root",
                  .steps = absence({step::kDevices})});
  for (const char* device : {"/dev/kmsg", "/proc/kcore", "/dev/mem"}) {
    rows.push_back({.number = 1,
                    .name = std::string("read ") + device,
                    .probe = {"read-amount", device},
                    .reach = Reach::kRootOnly,
                    .because = "it belongs to root",
                    .kernel_may_lack = device,
                    .steps = absence({step::kDevices, step::kProcesses})});
  }
  for (const char* path :
       {"/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sys/kernel/hostname",
        "/proc/sys/kernel/pid_max", "/proc/sysrq-trigger", "/proc/sys/kernel/modprobe", "/sys/kernel/uevent_helper",
        "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/irq/default_smp_affinity"}) {
    rows.push_back({.number = 1,
                    .name = std::string("open for writing ") + path,
                    .probe = {"open-write", path},
                    .reach = Reach::kRootOnly,
                    .because = "the switch belongs to root",
                    .kernel_may_lack = path,
                    .steps = absence({step::kWrite, step::kProcesses})});
  }
}

void add_writes(Rows& rows) {
  rows.push_back({.number = 2,
                  .name = "create a file in /etc",
                  .probe = {"create", "/etc/pinfold-escape-{nonce}"},
                  .obtains = Obtains::kChange,
                  .reach = Reach::kRootOnly,
                  .because = "/etc belongs to root",
                  .outside = {"/etc/pinfold-escape-{nonce}"}});
  for (const char* directory :
       {"/etc/cron.d", "/etc/systemd/system", "/usr/local/bin", "/var/spool", "/root", "/boot", "/opt"}) {
    rows.push_back({.number = 2,
                    .name = std::string("write in ") + directory,
                    .probe = {"unnamed-file-in", directory},
                    .reach = Reach::kRootOnly,
                    .because = "the directory belongs to root"});
  }
  rows.push_back({.number = 2,
                  .name = "write in a cgroup",
                  .probe = {"open-write", "/sys/fs/cgroup/pids/cgroup.procs"},
                  .reach = Reach::kRootOnly,
                  .because = "the group belongs to root",
                  .kernel_may_lack = "this hierarchy"});
  rows.push_back(
      {.number = 2, .name = "append to ~/.bashrc", .probe = {"append", "{home}/.bashrc"}, .obtains = Obtains::kChange});
  rows.push_back(
      {.number = 2, .name = "empty ~/.profile", .probe = {"truncate", "{home}/.profile"}, .obtains = Obtains::kChange});
  rows.push_back(
      {.number = 2, .name = "remove ~/.bashrc", .probe = {"remove", "{home}/.bashrc"}, .obtains = Obtains::kChange});
  for (const char* file : {".config/systemd/user/evil.service", ".config/autostart/evil.desktop", ".zshenv",
                           ".local/bin/git", ".cargo/bin/cargo", ".ssh/config", ".gitconfig"}) {
    rows.push_back({.number = 2,
                    .name = std::string("create ~/") + file,
                    .probe = {"create", std::string("{home}/") + file},
                    .obtains = Obtains::kChange});
  }
  rows.push_back({.number = 2,
                  .name = "append to ~/.local/bin/tool",
                  .probe = {"append", "{home}/.local/bin/tool"},
                  .obtains = Obtains::kChange});
  // These may succeed, in a private copy.
  for (const char* directory : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::string file = std::string(directory) + "/pinfold-escape-file-{nonce}";
    rows.push_back({.number = 2,
                    .name = std::string("create a file in ") + directory,
                    .probe = {"create", file},
                    .obtains = Obtains::kChange,
                    .boxed = Boxed::kHostClean,
                    .outside = {file},
                    .steps = any_gap({step::kTmp})});
  }
  rows.push_back({.number = 2,
                  .name = "append to another user's file",
                  .probe = {"append", "{base}/other/notes.txt"},
                  .obtains = Obtains::kChange});
  rows.push_back({.number = 2,
                  .name = "create in another user's directory",
                  .probe = {"create", "{base}/other/shared/planted"},
                  .obtains = Obtains::kChange,
                  .boxed = Boxed::kHostClean});
  rows.push_back({.number = 2,
                  .name = "append to a file shown with --read",
                  .probe = {"append", "{base}/other/notes.txt"},
                  .obtains = Obtains::kChange,
                  .flags = {"--read", "{base}/other"}});
  rows.push_back({.number = 2,
                  .name = "truncate of a file shown with --read",
                  .probe = {"truncate", "{home}/documents/letter.txt"},
                  .obtains = Obtains::kChange,
                  .flags = {"--read", "{home}/documents"}});
  // Landlock has no right for metadata: a backend without mounts may report a gap.
  rows.push_back({.number = 2,
                  .name = "change-times of a file shown with --read",
                  .probe = {"change-times", "{home}/documents/letter.txt"},
                  .obtains = Obtains::kChange,
                  .flags = {"--read", "{home}/documents"},
                  .steps = any_gap({step::kWrite})});
  rows.push_back({.number = 2,
                  .name = "chmod of a file shown with --read",
                  .probe = {"change-mode", "{home}/documents/letter.txt", "0777"},
                  .obtains = Obtains::kChange,
                  .flags = {"--read", "{home}/documents"},
                  .steps = any_gap({step::kWrite})});
  rows.push_back({.number = 2,
                  .name = "setxattr of a file shown with --read",
                  .probe = {"set-attribute", "{home}/documents/letter.txt", "user.planted"},
                  .flags = {"--read", "{home}/documents"},
                  .steps = any_gap({step::kWrite})});
  // Names and sizes may be seen where files.read is partial; attributes have contents.
  rows.push_back({.number = 1,
                  .name = "getxattr of a hidden file",
                  .probe = {"read-attribute", "{home}/documents/letter.txt", "user.secret"},
                  .obtains = Obtains::kSecret,
                  .prepare = "{probe} give-attribute {home}/documents/letter.txt user.secret {secret}",
                  .steps = absence({step::kRead})});
}

void add_ways_around(Rows& rows) {
  auto read = [&](const char* name, Texts probe) {
    rows.push_back({.number = 3, .name = name, .probe = std::move(probe), .obtains = Obtains::kSecret});
  };
  read("read ../.ssh/id_rsa", {"read", "../.ssh/id_rsa"});
  read("read ../../home/.ssh/id_rsa", {"read", "../../home/.ssh/id_rsa"});
  read("read src/../../.ssh/id_rsa", {"read", "{ws}/src/../../.ssh/id_rsa"});
  read("read by /proc/self/root", {"read", "/proc/self/root{home}/.ssh/id_rsa"});
  read("read by /proc/self/cwd/..", {"read", "/proc/self/cwd/../.ssh/id_rsa"});
  read("read by /proc/thread-self/root", {"read", "/proc/thread-self/root{home}/.ssh/id_rsa"});
  read("symlink made inside, then read", {"symlink-then-read", "{ws}/out", "{home}/.ssh/id_rsa"});
  read("hard link made inside, then read", {"link-then-read", "{home}/.ssh/id_rsa", "{ws}/out"});
  rows.push_back({.number = 3,
                  .name = "read by /proc/PPID/root",
                  .probe = {"read", "/proc/{canary}/root{home}/.ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .risk = Risk::kWholeHost,
                  .boxed_probe = {"read", "/proc/1/root{home}/.ssh/id_rsa"},
                  .steps = absence({step::kRead, step::kProcesses})});
  rows.push_back({.number = 3,
                  .name = "read by a process's cwd",
                  .probe = {"read", "/proc/{canary}/cwd{home}/.ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .risk = Risk::kWholeHost,
                  .boxed_probe = {"read", "/proc/1/cwd{home}/.ssh/id_rsa"},
                  .steps = absence({step::kRead, step::kProcesses})});
  rows.push_back({.number = 3,
                  .name = "read by a process's descriptor",
                  .probe = {"read", "/proc/{canary}/fd/9"},
                  .obtains = Obtains::kSecret,
                  .risk = Risk::kWholeHost,
                  .boxed_probe = {"read", "/proc/1/fd/9"},
                  .steps = absence({step::kRead, step::kProcesses})});
  rows.push_back({.number = 3,
                  .name = "symlink out of the workspace, read",
                  .probe = {"read", "{ws}/out"},
                  .obtains = Obtains::kSecret,
                  .prepare = "ln -s ../.ssh/id_rsa out"});
  rows.push_back({.number = 3,
                  .name = "symlink to a directory outside, read",
                  .probe = {"read", "{ws}/out/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .prepare = "ln -s {home}/.ssh out"});
  rows.push_back({.number = 3,
                  .name = "read above a root that is the host's",
                  .probe = {"read", "/..{home}/.ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .flags = {"--read", "/"},
                  .steps = absence({step::kRead, step::kHidden})});
  rows.push_back({.number = 3,
                  .name = "symlink out of the workspace, create",
                  .probe = {"create", "{ws}/out/planted"},
                  .obtains = Obtains::kChange,
                  .prepare = "ln -s {home} out"});
  rows.push_back({.number = 3,
                  .name = "symlink out of the workspace, append",
                  .probe = {"append", "{ws}/out"},
                  .obtains = Obtains::kChange,
                  .prepare = "ln -s {home}/.bashrc out"});
  rows.push_back({.number = 3,
                  .name = "rename out of the workspace",
                  .probe = {"rename", "{ws}/readme.txt", "{home}/planted"},
                  .obtains = Obtains::kChange});
  rows.push_back({.number = 3,
                  .name = "hard link to a file hidden in the workspace",
                  .probe = {"link-then-read", "{ws}/.env", "{ws}/copy"},
                  .obtains = Obtains::kSecret,
                  .flags = {"--hide", "{ws}/.env"},
                  .steps = absence({step::kHidden})});
  rows.push_back({.number = 3,
                  .name = "rename a file hidden in the workspace",
                  .shell = "mv .env copy && cat copy",
                  .obtains = Obtains::kSecret,
                  .flags = {"--hide", "{ws}/.env"},
                  .steps = absence({step::kHidden})});
  rows.push_back({.number = 3,
                  .name = "rename the parent of a hidden file",
                  .shell = "mv deep d2 && cat d2/er/secret",
                  .obtains = Obtains::kSecret,
                  .flags = {"--hide", "{ws}/deep/er/secret"},
                  .files = {"deep/er/secret"},
                  .may_leave = {"home/ws/deep", "home/ws/d2"},
                  .steps = absence({step::kHidden})});
  rows.push_back({.number = 3,
                  .name = "hard link by descriptor to a protected file",
                  .probe = {"link-by-descriptor", "{ws}/.vscode/settings.json", "{ws}/copy"},
                  .obtains = Obtains::kChange,
                  .steps = any_gap({step::kProtected})});
  rows.push_back({.number = 3,
                  .name = "inherited descriptors",
                  .probe = {"inherited-descriptors"},
                  .open = {{7, "{home}/.ssh/id_rsa"}, {11, "{home}"}},
                  .steps = always()});
  rows.push_back({.number = 3,
                  .name = "ls /proc/self/fd",
                  .probe = {"listed-descriptors"},
                  .open = {{7, "{home}/.ssh/id_rsa"}, {11, "{home}"}},
                  .steps = always()});
  rows.push_back({.number = 3,
                  .name = "read an inherited descriptor",
                  .probe = {"read-inherited", "7"},
                  .obtains = Obtains::kSecret,
                  .open = {{7, "{home}/.ssh/id_rsa"}},
                  .steps = always()});
  rows.push_back({.number = 3,
                  .name = "fchdir to an inherited directory",
                  .probe = {"read-below-inherited", "200", ".ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .open = {{200, "{home}"}},
                  .steps = always()});
  rows.push_back({.number = 3,
                  .name = "up from an inherited directory",
                  .probe = {"read-below-inherited", "5", "../.ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .open = {{5, "{ws}"}},
                  .steps = always()});
  rows.push_back({.number = 3,
                  .name = "a directory as standard input",
                  .probe = {"read-below-inherited", "0", ".ssh/id_rsa"},
                  .obtains = Obtains::kSecret,
                  .boxed = Boxed::kRefused,
                  .open = {{0, "{home}"}},
                  .steps = always()});
  rows.push_back({.number = 3,
                  .name = "mode of the file that is standard input",
                  .shell = "chmod 777 /proc/self/fd/0",
                  .obtains = Obtains::kChange,
                  .open = {{0, "{home}/.ssh/id_rsa"}},
                  .steps = always()});
  rows.push_back({.number = 3,
                  .name = "control: the workspace can be read",
                  .probe = {"read", "{ws}/readme.txt"},
                  .boxed = Boxed::kSame,
                  .steps = always()});
  rows.push_back({.number = 3,
                  .name = "control: the workspace can be written",
                  .probe = {"create", "{ws}/src/made"},
                  .boxed = Boxed::kSame,
                  .may_leave = {"home/ws/src/made"},
                  .steps = always()});
}

}  // namespace

Rows file_rows() {
  Rows rows;
  add_reads(rows);
  add_writes(rows);
  add_ways_around(rows);
  return rows;
}

}  // namespace escape
