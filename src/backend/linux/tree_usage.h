// tree_usage.h: what all processes of a sandbox use together, read from /proc.
#pragma once

#include <sys/types.h>

#include <optional>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

// Of all that this /proc shows, or only of those below the process `tree` where that is not 0.
std::optional<TreeUsage> tree_usage(int proc, pid_t tree);
// Is `process` a descendant of `tree`? By this program's own /proc.
bool is_below(pid_t process, pid_t tree);

}  // namespace pinfold::backend::on_linux
