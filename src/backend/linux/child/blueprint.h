// blueprint.h: the plan lowered to plain data that the child can follow without allocating.
// Invariant: PODs only; every pointer points into memory that both sides share (arena.h) and that is never freed.
// Not here: lowering (lower.cc), following it (setup.cc, init.cc).
#pragma once

#include <linux/filter.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/resource.h>

#include <csignal>
#include <cstddef>
#include <cstdint>

namespace pinfold::backend::on_linux::child {

enum class OpKind : std::uint8_t {
  kMakeDirectory,  // target, in the skeleton
  kMakeLink,       // target → text
  kMakeFile,       // target with text[length]; an empty one serves as a mount point
  kCoverFile,      // a file with text[length] over target, which is shown
  kBindRoot,       // the host's "/" becomes the root
  kBind,           // source shown at target with `attributes`
  kDevice,         // as kBind; source is one of kDevices
  kMaskFile,       // target masked by an empty unreadable file
  kMaskDirectory,  // target masked by an empty unreadable directory
  kOwnDirectory,   // target masked by a directory of its own, in which later ops make things
  kSealDirectory,  // that directory becomes read-only
  kProc,           // a new /proc
  kTerminals,      // a new devpts
  kTmp,            // a new tmpfs, text is its size option
  kRule,           // nothing is made or mounted: `landlock` below source
};

// Where the target lies: in the skeleton (ours alone) or below something shown (where names may change under us).
enum class Place : std::uint8_t { kSkeleton, kShown };

struct Op {
  OpKind kind;
  Place place;
  bool directory;      // kBind: recursive
  bool by_descriptor;  // bubblewrap only: the first process mounts it onto a file that it has opened (first_mounts.h)
  const char* source;  // absolute host path, no symlinks
  const char* target;  // relative to the new root
  const char* text;
  std::size_t length;
  std::uint64_t device;  // of the source, where somebody else mounts it and what came of it is checked
  std::uint64_t inode;
  std::uint64_t attributes;  // MOUNT_ATTR_* to set
  std::uint64_t landlock;    // access rights below it, 0 for none
};

// What every sandbox's /dev holds of the host's.
inline constexpr const char* kDevices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                           "/dev/random", "/dev/urandom", "/dev/tty"};
inline constexpr std::size_t kDeviceCount = sizeof kDevices / sizeof *kDevices;
inline constexpr const char* kDeviceLinks[][2] = {{"/dev/fd", "/proc/self/fd"},
                                                  {"/dev/stdin", "/proc/self/fd/0"},
                                                  {"/dev/stdout", "/proc/self/fd/1"},
                                                  {"/dev/stderr", "/proc/self/fd/2"},
                                                  {"/dev/ptmx", "pts/ptmx"}};
// Read-only is the entry, not the device: root could otherwise change the host's modes.
inline constexpr std::uint64_t kDeviceAttributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY;

// uid 0 without capabilities still owns these files: core_pattern alone would run code as the host's root.
inline constexpr const char* kProcReadOnly[] = {
    "/proc/sys",  "/proc/sysrq-trigger", "/proc/irq",  "/proc/bus",    "/proc/fs",
    "/proc/acpi", "/proc/scsi",          "/proc/mtrr", "/proc/driver", "/proc/tty"};
inline constexpr const char* kProcMasked[] = {
    "/proc/kcore",      "/proc/kmsg",        "/proc/kallsyms",      "/proc/keys",        "/proc/key-users",
    "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats", "/proc/vmallocinfo", "/proc/kpagecount",
    "/proc/kpageflags", "/proc/kpagecgroup", "/proc/slabinfo",      "/proc/pagetypeinfo"};

struct Blueprint {
  const Op* ops;
  std::size_t op_count;
  bool new_session;
  bool root_is_shown;    // the first op shows the host's "/": there is no skeleton to seal
  bool guard_proc;       // uid 0: the kernel's switches below /proc become read-only
  bool closes_devices;   // uid 0 owns the host's devices and could change their modes
  bool network_by_name;  // every address leads back into the sandbox, where PID 1 opens sockets when asked
  const char* pid_max;   // or null: bound on processes for root, who has no RLIMIT_NPROC
  int landlock_abi;      // what the parent found; 0: absent
  std::uint64_t landlock_handled;
  std::uint64_t landlock_net;  // granted to nobody
  std::uint64_t landlock_scoped;
  std::uint64_t landlock_root;      // rights on "/" itself
  const char* landlock_execute[8];  // dynamic loaders that exec rules must allow
};

// Inside bubblewrap's namespaces, the first process mounts devices and terminals itself, with capabilities that it
// drops afterwards.
inline bool mounts_devices(const Blueprint& blueprint) noexcept {
  return blueprint.network_by_name || blueprint.closes_devices;
}

// Who makes the walls between the sandbox and the host.
enum class Method : std::uint8_t {
  kNamespaces,  // the first process itself: namespaces, mounts, then Landlock
  kGiven,       // somebody else has: the first process checks what it stands in, and adds Landlock
  kRules,       // Landlock alone: the first process stays outside, and every command enters the rules by itself
};

// What PID 1 can do before there is a plan: its namespaces, its ids, the file system that its root will be, and
// whatever is the same in every sandbox.
struct Beginning {
  Method method;
  const char* uid_map;
  const char* gid_map;
  bool private_network;
  const char* scratch_size;  // what the private temporary directories will probably have
  int control;               // the child's end
  char* arguments;           // this program's own argv, which /proc/1/cmdline would show
  std::size_t arguments_size;
};

struct ResourceLimit {
  int resource;
  rlim_t amount;
};

// What every command of this sandbox starts with.
struct CommandFrame {
  const char* working_dir;
  const sock_filter* filter;
  unsigned short filter_length;
  std::uint32_t mark;  // by which the filter knows the calls that start the command
  ResourceLimit limits[8];
  std::size_t limit_count;
  sigset_t signal_mask;           // the caller's own
  std::uint64_t terminal_rights;  // Landlock's, on the command's own terminal, where rules alone are the walls
};

// What the supervisor lays down in shared memory before it asks PID 1 to raise the walls.
struct Shared {
  Blueprint blueprint;
  CommandFrame frame;
  bool has_begun;        // set by PID 1 while the supervisor looks: by __atomic_store_n and __atomic_load_n only
  bool was_placed;       // on a processor chosen by the supervisor (prefork.cc)
  cpu_set_t processors;  // the caller's own, to go back to then
};

}  // namespace pinfold::backend::on_linux::child
