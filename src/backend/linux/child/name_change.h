// name_change.h: makes, removes or renames one name for a command, in a short-lived process.
// Invariant: no allocation. Looks each name up once, below a directory that is held open; a new file gets its mode when
// it is created, by the caller's umask. The process has no capability, as the command has none.
// Not here: starting the process (short_process.h), whether the change is allowed (brokered_call.cc).
#pragma once

#include <cstdint>

#include "backend/linux/child/pinned_rename.h"

namespace pinfold::backend::on_linux::child {

enum class NameChangeKind { kMakeDirectory, kMakeNode, kMakeSymlink, kMakeLink, kBindSocket, kRemove, kRename };

struct NameChange {
  NameChangeKind kind;
  PinnedName at;
  PinnedName to;        // kRename
  std::uint32_t mode;   // kMakeDirectory, kMakeNode, with the kind of node
  std::uint32_t umask;  // the caller's
  std::uint32_t flags;  // of renameat2()
  const char* text;     // of a symbolic link
  int file;             // kMakeLink: the file that gets a second name; kBindSocket: the socket
};

// Drops every capability, also those in the sandbox's own user namespace.
bool drop_all_capabilities() noexcept;

// Sends a LiveMountResult and exits.
[[noreturn]] void change_name(const NameChange& change, int reply) noexcept;

}  // namespace pinfold::backend::on_linux::child
