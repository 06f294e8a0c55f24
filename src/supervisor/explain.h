// explain.h: more about a command that could not be started, for the report.
// Not here: the outcome itself (report/outcome.h).
#pragma once

#include "base/host_view.h"
#include "supervisor/supervisor.h"

namespace pinfold::supervisor {

// A program that may not be executed is a denial; so is one that is there, but hidden, with the flag that shows it.
void explain_no_start(const Error& error, const Request& request, HostView& host, Report& report);

}  // namespace pinfold::supervisor
