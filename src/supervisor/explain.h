// explain.h: adds denials to the report of a command that could not be started.
// Not here: the outcome itself (report/outcome.h).
#pragma once

#include "base/host_view.h"
#include "supervisor/supervisor.h"

namespace pinfold::supervisor {

// Reports a program that may not be executed, or that is hidden, as a denial with the flag that allows it.
void explain_no_start(const Error& error, const RunRequest& request, HostView& host, Report& report);

}  // namespace pinfold::supervisor
