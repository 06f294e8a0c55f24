// live_mount.h: changes the mounts of a running sandbox, from a short-lived process.
// Invariant: no allocation; mounts exactly the pinned files, all or none; never writes to the host. Needs no
// privileges: it works in the sandbox's user namespace, and first in a copy of the host's mount namespace, because the
// kernel clones only mounts of the caller's own namespace.
// Not here: starting the process (live_mounts.cc), choosing the mounts (plan).
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/linux/child/protocol.h"

namespace pinfold::backend::on_linux::child {

struct MountSpec {
  const char* source;  // absolute, on the host; null: an unreadable mask
  const char* target;  // absolute: inside; for all but the first: on the host, below the first one's source
  bool directory;
  std::uint64_t device;  // of the source when it was pinned; inode 0: not compared
  std::uint64_t inode;
  std::uint64_t attributes;  // MOUNT_ATTR_*
};

inline constexpr std::size_t kMaxLiveMounts = 128;

// Mounts the first spec with all others in it, at once.
struct LiveMountRequest {
  int user;  // the sandbox's namespaces
  int mounts;
  const MountSpec* list;
  std::size_t count;
  const char* sandbox_tmpfs;    // a path on the sandbox's own tmpfs, where mount points may be made
  const char* mask_to_replace;  // or null: a masked directory, over which a new tmpfs is mounted first
};

// Makes the mount whose root this directory is writable, so that processes with this working directory can write there,
// too.
struct MakeWritableRequest {
  int user;
  int mounts;
  const char* directory;
  std::uint64_t device;  // of that directory
  std::uint64_t inode;
  const MountSpec* added;  // mounted in it first; `target`: inside
  std::size_t count;
};

// Makes that mount read-only again.
struct MakeReadOnlyRequest {
  int user;
  int mounts;
  const char* directory;
  std::uint64_t mount;  // the topmost mount at `directory` must be this one
};

// Opens or creates one file for a process that cannot see its name.
struct OpenFileRequest {
  int user;
  MountSpec file;      // with `name`: the directory that the file is made in
  const char* name;    // null: opens `file` itself, or makes a file without a name in it (O_TMPFILE)
  int flags;           // for open()
  std::uint32_t mode;  // of a new file
  std::uint32_t umask;
  std::int64_t size;  // not negative: truncates the file to this size and returns no descriptor
};

struct UnmountRequest {
  int user;
  int mounts;
  const char* target;
  std::uint64_t mount;        // the topmost mount at `target` must be this one
  const char* sandbox_tmpfs;  // null, or the tmpfs on which the mount point was made: it is removed, too
  bool directory;
};

struct LiveMountResult {
  Failure failure;
  std::uint64_t mount;  // id of the new mount
  bool made;            // the mount point was made for it
  std::int32_t error;   // 0, or the errno for the command's call
};

// Each sends a LiveMountResult on `reply`, with the opened descriptor if there is one, and exits.
[[noreturn]] void mount_live(const LiveMountRequest& request, int reply) noexcept;
[[noreturn]] void open_file(const OpenFileRequest& request, int reply) noexcept;
[[noreturn]] void make_writable(const MakeWritableRequest& request, int reply) noexcept;
[[noreturn]] void make_read_only(const MakeReadOnlyRequest& request, int reply) noexcept;
[[noreturn]] void unmount_live(const UnmountRequest& request, int reply) noexcept;

}  // namespace pinfold::backend::on_linux::child
