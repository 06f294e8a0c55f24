// blueprint.h: the plan lowered to plain data, which init follows without allocating.
// Invariant: PODs only; every pointer points into memory that supervisor and init share (arena.h) and that is never
// freed.
// Not here: lowering (lower.cc), applying the operations (setup.cc, init.cc).
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
  kOwnDirectory,   // target masked by a tmpfs of the sandbox's own, in which later ops make entries
  kSealDirectory,  // that tmpfs becomes read-only
  kProc,           // a new /proc
  kTerminals,      // a new devpts
  kTmp,            // a new tmpfs, text is its size option
  kRule,           // nothing is made or mounted: `landlock` below source
};

// Where the target lies: in the skeleton (the sandbox's own tmpfs), or below a directory shown from the host, where
// host processes may rename entries during setup.
enum class TargetLocation : std::uint8_t { kSkeleton, kShown };

struct Op {
  OpKind kind;
  TargetLocation location;
  bool directory;      // kBind: recursive
  bool by_descriptor;  // bubblewrap only: init mounts it onto a file that it has opened (first_mounts.h)
  const char* source;  // absolute host path, no symlinks
  const char* target;  // relative to the new root
  const char* text;
  std::size_t length;
  std::uint64_t device;  // of the source, where bubblewrap mounts it and init checks the result
  std::uint64_t inode;
  std::uint64_t attributes;  // MOUNT_ATTR_* to set
  std::uint64_t landlock;    // access rights below it, 0 for none
};

// The host's devices that every sandbox's /dev contains.
inline constexpr const char* kDevices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                           "/dev/random", "/dev/urandom", "/dev/tty"};
inline constexpr std::size_t kDeviceCount = sizeof kDevices / sizeof *kDevices;
inline constexpr const char* kDeviceLinks[][2] = {{"/dev/fd", "/proc/self/fd"},
                                                  {"/dev/stdin", "/proc/self/fd/0"},
                                                  {"/dev/stdout", "/proc/self/fd/1"},
                                                  {"/dev/stderr", "/proc/self/fd/2"},
                                                  {"/dev/ptmx", "pts/ptmx"}};
// The mount entry is read-only, not the device: otherwise root could change the modes of the host's device files.
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
  bool guard_proc;       // uid 0: the kernel's settings below /proc become read-only
  bool closes_devices;   // uid 0 owns the host's devices and could change their modes
  bool network_by_name;  // all addresses are routed to loopback, where init opens sockets on request
  const char* pid_max;   // or null: limit on processes for root, to whom RLIMIT_NPROC does not apply
  int landlock_abi;      // as the supervisor found it; 0: no Landlock
  std::uint64_t landlock_handled;
  std::uint64_t landlock_net;  // access rights handled and never granted
  std::uint64_t landlock_scoped;
  std::uint64_t landlock_root;      // rights on "/" itself
  const char* landlock_execute[8];  // dynamic loaders that exec rules must allow
};

// Inside bubblewrap's namespaces, init mounts devices and terminals itself, with capabilities that it drops afterwards.
inline bool mounts_devices(const Blueprint& blueprint) noexcept {
  return blueprint.network_by_name || blueprint.closes_devices;
}

// Which program confines the sandbox, and by which mechanisms.
enum class ConfinementMethod : std::uint8_t {
  kNamespaces,    // init itself: namespaces, mounts, then Landlock
  kBubblewrap,    // bubblewrap makes namespaces and mounts; init verifies them and adds Landlock
  kLandlockOnly,  // Landlock alone: init stays unconfined, and every command enters the ruleset by itself
};

// Everything that init can set up before there is a plan: its namespaces, its ids, the tmpfs of its root, and the
// mounts that are the same in every sandbox.
struct InitOptions {
  ConfinementMethod method;
  const char* uid_map;
  const char* gid_map;
  bool private_network;
  const char* scratch_size;  // the size that the private temporary directories will probably have
  int control;               // init's end of the control socket
  char* arguments;           // this program's own argv, shown by /proc/1/cmdline
  std::size_t arguments_size;
};

struct ResourceLimit {
  int resource;
  rlim_t amount;
};

// The settings that all commands of this sandbox start with.
struct CommandFrame {
  const char* working_dir;
  const sock_filter* filter;
  unsigned short filter_length;
  std::uint32_t mark;  // a spare argument of the calls that start the command: the filter lets calls with it pass
  ResourceLimit limits[8];
  std::size_t limit_count;
  sigset_t signal_mask;           // the caller's own
  std::uint64_t terminal_rights;  // Landlock rights on the command's own terminal, for kLandlockOnly
};

// The supervisor fills this shared memory before it sends kConfine to init.
struct SharedBlock {
  Blueprint blueprint;
  CommandFrame frame;
  bool is_prepared;      // written by init while the supervisor reads it: by __atomic_store_n and __atomic_load_n only
  bool was_placed;       // the supervisor moved init to another processor (prefork.cc)
  cpu_set_t processors;  // the caller's affinity mask, which init restores then
};

}  // namespace pinfold::backend::on_linux::child
