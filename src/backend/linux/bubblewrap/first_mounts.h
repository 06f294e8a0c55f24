// first_mounts.h: selects the mounts that bubblewrap leaves to init, which mounts them by descriptor.
// Invariant: bubblewrap walks the names of a mount point, follows symlinks on the way and makes the last name if it is
// missing. A process that changes names in a shown directory during that could make it create files anywhere on the
// host: bubblewrap's own root has the host at /oldroot. Not here: mounting (child/verify_mounts.cc).
#pragma once

#include <vector>

#include "backend/linux/child/blueprint.h"

namespace pinfold::backend::on_linux {

// Sets `by_descriptor` on masks, covers and self-binds below a directory that is shown from the host. A mount stays
// with bubblewrap if bubblewrap mounts something in it.
void leave_to_init(std::vector<child::Op>& ops);

}  // namespace pinfold::backend::on_linux
