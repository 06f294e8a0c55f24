// blueprint_writer.h: copies a lowered plan into the memory shared with init.
// Invariant: every copied pointer points into the arena.
// Not here: making the arena, telling init that it is ready.
#pragma once

#include <csignal>
#include <vector>

#include "backend/linux/child/blueprint.h"
#include "backend/linux/lower/arena.h"
#include "backend/linux/lower/lower.h"

namespace pinfold::backend::on_linux {

// `ops`: the lowered ones, with fields that the backend added. `signal_mask` is the caller's.
Result<void> write_blueprint(const LoweredPlan& lowered, const std::vector<child::Op>& ops, const sigset_t& signal_mask,
                             Arena& arena, child::SharedBlock& shared);
// Later commands get this filter instead.
Result<void> write_filter(const std::vector<sock_filter>& filter, Arena& arena, child::SharedBlock& shared);

}  // namespace pinfold::backend::on_linux
