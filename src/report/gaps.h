// gaps.h: coverage, gaps and the choice of the backend as text for people.
// Invariant: every gap and every backend that was tried is named; values go through visible().
// Not here: deciding (supervisor), coverage_table(), which is in render.h.
#pragma once

#include <string>
#include <vector>

#include "pinfold/report.h"
#include "report/render.h"

namespace pinfold::report {

// One line for each gap: the step, its coverage, the missing mechanism.
std::string gap_table(const std::vector<Coverage>& gaps, TextFormat format);

// One line for each backend that was tried: its name and why it was taken or not.
std::string choice_table(const std::vector<Candidate>& choice, TextFormat format);

// Commands that would help, one below the other, or nothing.
std::string fix_list(const std::vector<std::string>& fixes, TextFormat format);

// How the run ended, or empty; a refusal for a gap names each gap and each backend.
std::string run_message(const Report& report, TextFormat format);

}  // namespace pinfold::report
