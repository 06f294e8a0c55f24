// live_mount.h: changes what a running sandbox shows, by a process that lives only for that.
// Invariant: no allocation; what is mounted is what was pinned, whole, or nothing; the host is never written to. Works
// without privileges: in the sandbox's user namespace, and first in a copy of the host's mounts, because the kernel
// clones mounts only of one's own mount namespace; all is put together there, out of sight. Not here: starting the
// process (live_mounts.cc), what is to be shown (plan).
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/linux/child/protocol.h"

namespace pinfold::backend::on_linux::child {

struct Mounting {
  const char* source;  // absolute, on the host; null: a mask that cannot be read
  const char* place;   // absolute: inside; for all but the first: on the host, below the first one's source
  bool directory;
  std::uint64_t device;  // of the source as it was pinned; inode 0: not compared
  std::uint64_t inode;
  std::uint64_t attributes;  // MOUNT_ATTR_*
};

inline constexpr std::size_t kMostMountings = 128;

// The first is mounted with all others in it, at once.
struct Widening {
  int user;  // the sandbox's namespaces
  int mounts;
  const Mounting* list;
  std::size_t count;
  const char* ground;  // the file system at this place is the sandbox's own: names may be made in it
  const char* own;     // or null: a masked directory that becomes one of the sandbox's own first
};

// The directory at this place becomes writable in the mount that it is the root of, so that processes whose working
// directory it is can write there, too.
struct Opening {
  int user;
  int mounts;
  const char* place;
  std::uint64_t device;  // of that directory
  std::uint64_t inode;
  const Mounting* added;  // mounted in it first; `place`: inside
  std::size_t count;
};

// And read-only again.
struct Closing {
  int user;
  int mounts;
  const char* place;
  std::uint64_t mount;  // the topmost mount at `place` must be this one
};

// One file, for whoever may have it without seeing its name.
struct HandingOver {
  int user;
  Mounting file;       // with `name`: the directory that the file is made in
  const char* name;    // null: the file is there
  int flags;           // of open()
  std::uint32_t mode;  // of a file that is made
  std::uint32_t umask;
  std::int64_t size;  // not negative: truncate the file to this size; no descriptor is returned
};

struct Narrowing {
  int user;
  int mounts;
  const char* target;
  std::uint64_t mount;  // the topmost mount at `place` must be this one
  const char* ground;   // null, or where the place that it was mounted on was made for it, and goes with it
  bool directory;
};

struct Widened {
  Failure failure;
  std::uint64_t mount;  // the number of what was mounted
  bool made;            // the place that it is mounted on
  std::int32_t error;   // 0, or the errno that the command's call ends with
};

// Each says what came of it on `reply`, with the descriptor that was asked for, and ends the process.
[[noreturn]] void widen(const Widening& widening, int reply) noexcept;
[[noreturn]] void hand_over(const HandingOver& handing, int reply) noexcept;
[[noreturn]] void open_up(const Opening& opening, int reply) noexcept;
[[noreturn]] void close_up(const Closing& closing, int reply) noexcept;
[[noreturn]] void narrow(const Narrowing& narrowing, int reply) noexcept;

}  // namespace pinfold::backend::on_linux::child
