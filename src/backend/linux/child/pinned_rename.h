// pinned_rename.h: removes and renames the one file that was pinned, and no other that has its name by then.
// Invariant: no allocation. The kernel removes and renames by name only, so the name is first moved aside, in one step,
// to a random name of the same directory; the moved file is compared with the pinned one, and put back if it is
// another. Where a file system lacks RENAME_NOREPLACE or RENAME_EXCHANGE, the plain calls take their place.
// Not here: whether the change is allowed (brokered_call.cc), giving up capabilities (name_change.cc).
#pragma once

#include <cstdint>

namespace pinfold::backend::on_linux::child {

// A name in a directory that is held open, and the file that it led to when it was pinned.
struct PinnedName {
  int parent;
  const char* name;
  std::uint64_t device;  // with inode 0: there was no such file
  std::uint64_t inode;
  bool directory;
};

// Each returns 0, the errno of the refused call, or this: the name led to another file.
inline constexpr int kOtherFile = -1;

int remove_exactly(const PinnedName& at) noexcept;
// `flags`: RENAME_NOREPLACE, RENAME_EXCHANGE or 0, as for renameat2().
int rename_exactly(const PinnedName& from, const PinnedName& to, unsigned flags) noexcept;

}  // namespace pinfold::backend::on_linux::child
