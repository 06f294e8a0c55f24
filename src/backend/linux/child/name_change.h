// name_change.h: makes, removes or renames one name for a command, in a process that lives only for that.
// Invariant: no allocation. Each name is looked up once, below a directory that is held open; a new file has its mode
// from its first moment, by the caller's umask. The process has no capability, as the command has none.
// Not here: starting the process (short_process.h), whether the change is allowed (brokered_call.cc).
#pragma once

#include <cstdint>

#include "backend/linux/child/pinned_rename.h"

namespace pinfold::backend::on_linux::child {

enum class NameAct { kMakeDirectory, kMakeNode, kMakeSymlink, kMakeLink, kRemove, kRename };

struct NameChange {
  NameAct act;
  PinnedName at;
  PinnedName to;        // kRename
  std::uint32_t mode;   // kMakeDirectory, kMakeNode, with the kind of node
  std::uint32_t umask;  // the caller's
  std::uint32_t flags;  // of renameat2()
  const char* text;     // of a symbolic link
  int file;             // kMakeLink: the file that gets a second name
};

// Gives up every capability, also those in the sandbox's own user namespace.
bool give_up_capabilities() noexcept;

// Replies with a Widened and ends the process.
[[noreturn]] void change_name(const NameChange& change, int reply) noexcept;

}  // namespace pinfold::backend::on_linux::child
