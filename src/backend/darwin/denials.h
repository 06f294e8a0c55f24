// denials.h: lines of the system's log that tell of a denial, as denials.
// Invariant: only lines of this run's tag are asked for; a line that is not understood is left out, never guessed at.
// Not here: reading the log (seatbelt.cc).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pinfold/plan.h"
#include "pinfold/report.h"
#include "plan/plan_view.h"

namespace pinfold::backend::darwin {

// What the log is asked for.
std::string log_predicate(std::string_view tag);

// "… Sandbox: cat(812) deny(1) file-read-data /Users/ada/.ssh/id_rsa"
std::optional<Denial> denial_from_log(std::string_view line, const plan::PlanView& view);

}  // namespace pinfold::backend::darwin
