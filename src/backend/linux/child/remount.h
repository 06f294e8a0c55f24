// remount.h: mount attributes on kernels before 5.12, which have no mount_setattr.
// Not here: when they are wanted (setup.cc, mount_ops.cc).
#pragma once

#include <cstdint>

namespace pinfold::backend::on_linux::child {

enum class Depth : std::uint8_t { kOneMount, kWholeTree };

// Adds `attributes` (MOUNT_ATTR_*) to the mount whose root `tree` is, and to every mount below it; on failure some may
// have them and errno says why. The mount must be attached, and /proc be the one of a namespace that sees us.
bool remount(int tree, std::uint64_t attributes, Depth depth) noexcept;

// As propagation = MS_PRIVATE in mount_setattr.
bool make_private(int tree, Depth depth) noexcept;

}  // namespace pinfold::backend::on_linux::child
