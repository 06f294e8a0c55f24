// pinned_rename.h: removes or renames the pinned file, and never another one that has taken its name.
// Invariant: no allocation. The kernel removes and renames by name only, so the name is first quarantined, by one
// rename to a random name in the same directory; the moved file is compared with the pinned one, and restored if it is
// another. Where a file system lacks RENAME_NOREPLACE or RENAME_EXCHANGE, plain calls replace them.
// Not here: whether the change is allowed (brokered_call.cc), dropping capabilities (name_change.cc).
#pragma once

#include <cstdint>

namespace pinfold::backend::on_linux::child {

// A name in a directory that is held open, and the file that had the name when it was pinned.
struct PinnedName {
  int parent;
  const char* name;
  std::uint64_t device;  // with inode 0: there was no such file
  std::uint64_t inode;
  bool directory;
};

// Each returns 0, the errno of the refused call, or kOtherFile: another file had the name.
inline constexpr int kOtherFile = -1;

int remove_pinned(const PinnedName& at) noexcept;
// `flags`: RENAME_NOREPLACE, RENAME_EXCHANGE or 0, as for renameat2().
int rename_pinned(const PinnedName& from, const PinnedName& to, unsigned flags) noexcept;

}  // namespace pinfold::backend::on_linux::child
