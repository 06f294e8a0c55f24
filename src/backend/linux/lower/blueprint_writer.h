// blueprint_writer.h: puts what was lowered into the memory that the first process shares with us.
// Invariant: every pointer laid down points into the arena. Not here: making the arena, saying that it is ready.
#pragma once

#include <csignal>
#include <vector>

#include "backend/linux/lower/arena.h"
#include "backend/linux/child/blueprint.h"
#include "backend/linux/lower/lower.h"

namespace pinfold::backend::on_linux {

// `ops` instead of the lowered ones: the same, where something was found out about them. `signal_mask` is the caller's.
Result<void> lay_down(const Lowered& lowered, const std::vector<child::Op>& ops, const sigset_t& signal_mask,
                      Arena& arena, child::Shared& shared);
// The commands to come get this filter instead.
Result<void> lay_down(const std::vector<sock_filter>& filter, Arena& arena, child::Shared& shared);

}  // namespace pinfold::backend::on_linux
