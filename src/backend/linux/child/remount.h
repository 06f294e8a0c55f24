// remount.h: mount attributes on kernels before 5.12, which have no mount_setattr.
// Not here: when they are needed (setup.cc, mount_ops.cc).
#pragma once

#include <cstdint>

namespace pinfold::backend::on_linux::child {

enum class Depth : std::uint8_t { kOneMount, kWholeTree };

// Adds `attributes` (MOUNT_ATTR_*) to the mount whose root `tree` is, and to every mount below it. On failure some
// mounts may have them, and errno is set. The mount must be attached, and /proc must belong to a pid namespace that
// contains this process.
bool remount(int tree, std::uint64_t attributes, Depth depth) noexcept;

// As propagation = MS_PRIVATE in mount_setattr.
bool make_private(int tree, Depth depth) noexcept;

}  // namespace pinfold::backend::on_linux::child
