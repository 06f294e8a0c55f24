// tree_usage.h: what all processes of a sandbox use together, read from its own /proc.
#pragma once

#include <optional>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

std::optional<TreeUsage> tree_usage(int proc);

}  // namespace pinfold::backend::on_linux
