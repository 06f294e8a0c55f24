// outcome.h: small facts about outcomes that text and JSON share.
// Not here: exit_code(), which is public (include/pinfold/report.h).
#pragma once

#include <string>

#include "pinfold/report.h"
#include "pinfold/result.h"

namespace pinfold::report {

std::string signal_name(int number);  // "SIGKILL"; "signal 40" for one without a name

// The outcome of a run that an error ended before its start.
Outcome outcome_of(const Error& error);

}  // namespace pinfold::report
