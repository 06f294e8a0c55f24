// table_kernel.cc: rows 11–14: other processes, namespaces and mounts, system calls, the terminal.
// Not here: running programs (table_launch.cc).
#include <fstream>

#include "steps.h"
#include "table.h"
#include "world.h"

namespace escape {
namespace {

// Each attempt must reach the canary bare; boxed it is turned on the host's process, on PID 1 and on its own parent.
void add_process(Rows& rows, const std::string& name, const std::string& attempt, const Texts& bare_args,
                 const Texts& boxed_args, Obtains obtains, const Steps& steps = absence({step::kProcesses}),
                 const Texts& flags = {}) {
  struct Target {
    const char* called;
    const char* pid;
    Risk risk;
  };
  for (const Target& target : {Target{"a host process", "{canary}", Risk::kOwnThings},
                               {"PID 1", "1", Risk::kWholeHost},
                               {"its parent", "parent", Risk::kSupervisor}}) {
    Row row{.number = 11, .name = name + ": " + target.called, .probe = {attempt, "{canary}"}, .obtains = obtains};
    row.risk = target.risk;
    row.steps = steps;
    row.flags = flags;
    row.boxed_probe = {attempt, target.pid};
    row.probe.insert(row.probe.end(), bare_args.begin(), bare_args.end());
    const Texts& inside = std::string(target.pid) == "{canary}" ? bare_args : boxed_args;
    row.boxed_probe.insert(row.boxed_probe.end(), inside.begin(), inside.end());
    rows.push_back(row);
  }
}

}  // namespace

Rows process_rows() {
  Rows rows;
  add_process(rows, "ptrace attach", "trace-attach", {}, {}, Obtains::kSomething);
  add_process(rows, "ptrace seize", "trace-seize", {}, {}, Obtains::kSomething);
  add_process(rows, "read /proc/N/mem", "memory-read", {"{memory}"}, {"{memory}"}, Obtains::kSecret);
  add_process(rows, "write /proc/N/mem", "memory-write", {"{scratch}"}, {"{scratch}"}, Obtains::kHarm);
  add_process(rows, "search the memory", "search-memory", {"{secret}"}, {"{secret}"}, Obtains::kSecret);
  add_process(rows, "process_vm_readv", "vm-readv", {"{memory}"}, {"{memory}"}, Obtains::kSecret);
  add_process(rows, "process_vm_writev", "vm-writev", {"{scratch}"}, {"{scratch}"}, Obtains::kHarm);
  add_process(rows, "pidfd_getfd", "take-descriptor", {"9"}, {"any"}, Obtains::kSecret);
  // Debuggers may trace processes in the sandbox, and only these.
  const Steps outside = absence({step::kProcesses});
  for (const char* attempt : {"trace-attach", "trace-seize"})
    add_process(rows, std::string(attempt) + " by a debugger", attempt, {}, {}, Obtains::kSomething, outside,
                {"--debuggers"});
  add_process(rows, "process_vm_readv by a debugger", "vm-readv", {"{memory}"}, {"{memory}"}, Obtains::kSecret, outside,
              {"--debuggers"});
  add_process(rows, "process_vm_writev by a debugger", "vm-writev", {"{scratch}"}, {"{scratch}"}, Obtains::kHarm,
              outside, {"--debuggers"});
  // Without a pid namespace, only a recent kernel can hold signals back.
  const Steps signals = any_gap({step::kProcesses});
  add_process(rows, "kill", "kill", {"9"}, {"9"}, Obtains::kHarm, signals);
  add_process(rows, "kill the group", "kill-group", {"9"}, {"9"}, Obtains::kHarm, signals);
  add_process(rows, "kill by pidfd", "kill-by-pidfd", {"9"}, {"9"}, Obtains::kHarm, signals);
  add_process(rows, "kill by sigqueue", "kill-by-queue", {"15"}, {"15"}, Obtains::kHarm, signals);
  add_process(rows, "stop", "kill", {"19"}, {"19"}, Obtains::kHarm, signals);
  add_process(rows, "overwrite /proc/N/exe", "executable-handle", {}, {}, Obtains::kSomething);
  add_process(rows, "read /proc/N/environ", "environment-of", {"{secret}"}, {"{secret}"}, Obtains::kSecret);
  rows.push_back({.number = 11,
                  .name = "kcmp with another process",
                  .probe = {"compare-kernel-objects", "{canary}"},
                  .risk = Risk::kWholeHost,
                  .boxed_probe = {"compare-kernel-objects", "1"}});
  rows.push_back({.number = 11,
                  .name = "shared memory of the host",
                  .probe = {"shared-memory", "{segment}"},
                  .obtains = Obtains::kSecret});
  return rows;
}

namespace {

void add_namespaces(Rows& rows) {
  for (const char* kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"}) {
    rows.push_back({.number = 12, .name = std::string("unshare ") + kind, .probe = {"unshare", kind}});
    if (std::string(kind) != "time") {
      rows.push_back({.number = 12, .name = std::string("clone ") + kind, .probe = {"clone", kind}});
    }
    rows.push_back({.number = 12, .name = std::string("clone3 ") + kind, .probe = {"clone3", kind}});
    rows.push_back({.number = 12,
                    .name = std::string("setns ") + kind,
                    .probe = {"setns", kind, "{canary}"},
                    .risk = Risk::kWholeHost,
                    .boxed_probe = {"setns", kind, "1"}});
  }
  rows.push_back({.number = 12,
                  .name = "setns by pidfd",
                  .probe = {"setns-pidfd", "net", "{canary}"},
                  .reach = Reach::kRootOnly,
                  .because = "it needs CAP_SYS_ADMIN over the host's namespace",
                  .boxed_probe = {"setns-pidfd", "net", "1"}});
  rows.push_back({.number = 12,
                  .name = "set the host name",
                  .probe = {"set-host-name"},
                  .reach = Reach::kRootOnly,
                  .because = "it needs CAP_SYS_ADMIN"});
}

// Bare, these run in a mount namespace of their own, where they work: the host's mounts stay as they are.
void add_mounts(Rows& rows) {
  auto attempt = [&](const char* name, Texts bare, Texts boxed = {}) {
    rows.push_back({.number = 12,
                    .name = name,
                    .probe = std::move(bare),
                    .risk = Risk::kWholeHost,
                    .boxed_probe = std::move(boxed),
                    .may_leave = {"home/ws/mnt"},
                    .bare_mounts = Mounts::kOwn});
  };
  attempt("mount a tmpfs", {"mount-tmpfs", "{ws}/mnt"});
  attempt("mount --bind", {"mount-bind", "/usr", "{ws}/mnt"});
  attempt("mount -o remount,rw", {"remount-writable", "{base}/mnt"}, {"remount-writable", "/usr"});
  attempt("umount /proc", {"umount", "{base}/mnt"}, {"umount", "/proc"});
  attempt("umount the workspace", {"umount", "{base}/mnt"}, {"umount", "{ws}"});
  attempt("umount /", {"umount", "{base}/mnt"}, {"umount", "/"});
  attempt("fsopen tmpfs", {"fsopen", "tmpfs"});
  attempt("fsopen proc", {"fsopen", "proc"});
  attempt("fsopen, fsmount, move_mount", {"fsmount", "{ws}/mnt"});
  attempt("fspick", {"fspick", "{base}/mnt"}, {"fspick", "/tmp"});
  attempt("open_tree with clone", {"open-tree", "/usr"});
  attempt("move_mount", {"move-mount", "{base}/mnt", "{base}/mnt2"}, {"move-mount", "/proc", "{ws}/mnt"});
  attempt("mount_setattr to writable", {"mount-setattr", "{base}/mnt"}, {"mount-setattr", "/usr"});
  rows.back().kernel_may_lack = "mount_setattr";
  attempt("pivot_root", {"pivot-root", "{ws}/mnt"});
  attempt("chroot", {"chroot", "{ws}"});
  attempt("chroot and out again", {"chroot-and-out", "{ws}/mnt", "/etc/hostname"});
  rows.back().obtains = Obtains::kSomething;
  rows.push_back({.number = 12,
                  .name = "open_tree_attr with clone",
                  .probe = {"open-tree-attr", "/usr"},
                  .kernel_may_lack = "open_tree_attr",
                  .risk = Risk::kWholeHost,
                  .bare_mounts = Mounts::kOwn});
}

void add_calls(Rows& rows) {
  auto attempt = [&](const char* name, Texts probe, Obtains obtains = Obtains::kSomething) {
    rows.push_back({.number = 13, .name = name, .probe = std::move(probe), .obtains = obtains});
  };
  auto root_only = [&](const char* name, Texts probe, const char* because, const char* lacks = "") {
    rows.push_back({.number = 13,
                    .name = name,
                    .probe = std::move(probe),
                    .reach = Reach::kRootOnly,
                    .because = because,
                    .kernel_may_lack = lacks});
  };
  // On readable files: the call itself must fail, for any file.
  attempt("int 0x80 open and read", {"int80-read", "{ws}/readme.txt"});
  rows.push_back(
      {.number = 13, .name = "x32 open and read", .probe = {"x32-read", "{ws}/readme.txt"}, .kernel_may_lack = "x32"});
  attempt("io_uring openat", {"ring-open", "{ws}/readme.txt"});
  attempt("io_uring connect", {"ring-connect", "{tcp}"}, Obtains::kConnection);
  attempt("io_uring socket", {"ring-socket"});
  attempt("perf_event_open", {"perf-event-open"});
  attempt("userfaultfd", {"userfaultfd"});
  attempt("keyctl: session keyring", {"keyctl"});
  attempt("add_key", {"add-key"});
  attempt("read a key of the user's keyring", {"read-key", "{secret}-name"}, Obtains::kSecret);
  attempt("personality READ_IMPLIES_EXEC", {"personality", "0x400000"});
  attempt("personality ADDR_COMPAT_LAYOUT", {"personality", "0x200000"});
  attempt("personality PER_LINUX32", {"personality", "8"});
  attempt("modify_ldt", {"modify-ldt"});
  root_only("bpf", {"bpf"}, "unprivileged BPF is off");
  root_only("open_by_handle_at", {"open-by-handle", "{ws}/readme.txt", "{ws}"}, "it needs CAP_DAC_READ_SEARCH");
  root_only("kexec_load", {"kexec"}, "it needs CAP_SYS_BOOT", "kexec");
  root_only("finit_module", {"finit-module"}, "it needs CAP_SYS_MODULE", "modules");
  root_only("init_module", {"init-module"}, "it needs CAP_SYS_MODULE", "modules");
  root_only("delete_module", {"delete-module"}, "it needs CAP_SYS_MODULE", "modules");
  root_only("read the kernel's log", {"kernel-log"}, "it needs CAP_SYSLOG");
  root_only("iopl", {"iopl"}, "it needs CAP_SYS_RAWIO", "port access");
  root_only("ioperm", {"ioperm"}, "it needs CAP_SYS_RAWIO", "port access");
  root_only("reboot", {"reboot"}, "it needs CAP_SYS_BOOT");
  root_only("acct", {"acct"}, "it needs CAP_SYS_PACCT", "accounting");
  root_only("swapon", {"swapon"}, "it needs CAP_SYS_ADMIN", "swap");
  root_only("fanotify", {"fanotify"}, "it needs CAP_SYS_ADMIN");
}

std::string nothing_typed(const World&, const Ran& ran) {
  return ran.typed_ahead == 0 ? "" : std::to_string(ran.typed_ahead) + " bytes wait in the user's terminal";
}

std::string nothing_shown(const World&, const Ran& ran) {
  return ran.terminal.find("planted") == std::string::npos ? "" : "the user's terminal showed it";
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

std::string machine_id() {
  std::ifstream file("/etc/machine-id");
  std::string id;
  std::getline(file, id);
  return id;
}

void add_terminal(Rows& rows) {
  rows.push_back({.number = 14,
                  .name = "the host's network interfaces in /sys",
                  .shell = "cat /sys/class/net/lo/ifindex || cat /sys/devices/virtual/net/lo/ifindex",
                  .steps = absence({step::kHidden})});
  rows.push_back({.number = 14,
                  .name = "the host's boot id",
                  .shell = "grep " + boot_id() + " /proc/sys/kernel/random/boot_id",
                  .steps = any_gap({step::kRead})});
  rows.push_back(
      {.number = 14,
       .name = "the host's machine id",
       .shell = "[ -s /etc/machine-id ] || { echo ENOENT; exit 1; }; grep '^" + machine_id() + "$' /etc/machine-id",
       .kernel_may_lack = "a machine id",
       .steps = any_gap({step::kRead})});
  // To the mode that it has: the control must not change the host.
  rows.push_back({.number = 14,
                  .name = "change the mode of /dev/null",
                  .shell = "chmod 666 /dev/null && echo changed",
                  .reach = Reach::kRootOnly,
                  .because = "the device is root's",
                  .steps = absence({step::kDevices})});
  rows.push_back({.number = 14,
                  .name = "control: a terminal of its own, opened outside the first thread",
                  .probe = {"openpty-in-thread"},
                  .boxed = Boxed::kSame});
  auto type = [&](const char* name, Texts probe, Stage stage) {
    rows.push_back({.number = 14,
                    .name = name,
                    .probe = std::move(probe),
                    .obtains = Obtains::kTyped,
                    .stage = stage,
                    .check = nothing_typed});
  };
  type("TIOCSTI on a terminal", {"tiocsti"}, Stage::kTerminal);
  type("TIOCSTI on a terminal behind pipes", {"tiocsti"}, Stage::kTerminalBehind);
  type("TIOCSTI with a high bit", {"tiocsti-high-bits", "1"}, Stage::kTerminal);
  type("TIOCSTI with all high bits", {"tiocsti-high-bits", "0xffffffff"}, Stage::kTerminal);
  type("TIOCSTI with high bits behind pipes", {"tiocsti-high-bits", "0x80000000"}, Stage::kTerminalBehind);
  for (const char* attempt : {"tioclinux", "tioclinux-high-bits"}) {
    rows.push_back({.number = 14,
                    .name = attempt,
                    .probe = {attempt, "1"},
                    .reach = Reach::kRootOnly,
                    .because = "the consoles belong to root",
                    .kernel_may_lack = "consoles",
                    .stage = Stage::kTerminalBehind});
  }
  rows.push_back({.number = 14,
                  .name = "write to the terminal behind pipes",
                  .probe = {"write-to-terminal", "planted"},
                  .obtains = Obtains::kShown,
                  .stage = Stage::kTerminalBehind,
                  .check = nothing_shown});
  rows.push_back({.number = 14,
                  .name = "open the terminal behind pipes by its name",
                  .probe = {"open-terminal-by-name", "{pts}"},
                  .obtains = Obtains::kShown,
                  .boxed = Boxed::kHostClean,
                  .stage = Stage::kTerminalBehind,
                  .check = nothing_shown,
                  .steps = absence({step::kTerminal, step::kDevices})});
  rows.push_back({.number = 14,
                  .name = "make the terminal answer, and leave",
                  .probe = {"make-it-answer"},
                  .obtains = Obtains::kTyped,
                  .boxed = Boxed::kHostClean,
                  .stage = Stage::kTerminal,
                  .check = nothing_typed});
}

}  // namespace

Rows kernel_rows() {
  Rows rows;
  add_namespaces(rows);
  add_mounts(rows);
  add_calls(rows);
  add_terminal(rows);
  return rows;
}

}  // namespace escape
