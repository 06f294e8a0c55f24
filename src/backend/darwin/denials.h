// denials.h: parses the denials that macOS writes to the system log.
// Invariant: the predicate selects lines with this run's tag only; a line that cannot be parsed is skipped.
// Not here: reading the log (seatbelt.cc).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pinfold/plan.h"
#include "pinfold/report.h"
#include "plan/plan_view.h"

namespace pinfold::backend::darwin {

// The predicate for `log stream`.
std::string log_predicate(std::string_view tag);

// "… Sandbox: cat(812) deny(1) file-read-data /Users/ada/.ssh/id_rsa"
std::optional<Denial> denial_from_log(std::string_view line, const plan::PlanView& view);

}  // namespace pinfold::backend::darwin
