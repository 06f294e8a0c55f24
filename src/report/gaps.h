// gaps.h: what is enforced, what is not, and why this backend, as text for people.
// Invariant: every gap and every backend that was tried is named; values go through visible().
// Not here: deciding (supervisor), coverage_table(), which is in render.h.
#pragma once

#include <string>
#include <vector>

#include "pinfold/report.h"
#include "report/render.h"

namespace pinfold::report {

// One line for each gap: the step, how weak it is, what is missing.
std::string gap_table(const std::vector<Coverage>& gaps, Paper paper);

// One line for each backend that was tried: its name and why it was taken or not.
std::string choice_table(const std::vector<Candidate>& choice, Paper paper);

// Commands that would help, one below the other, or nothing.
std::string fix_list(const std::vector<std::string>& fixes, Paper paper);

// How the run ended, if there is something to say; a refusal for a gap names each gap and each backend.
std::string run_message(const Report& report, Paper paper);

}  // namespace pinfold::report
