// admit.h: decides whether a plan may run with the coverage of the chosen backend.
#pragma once

#include <optional>

#include "base/host_view.h"
#include "supervisor/choose.h"
#include "supervisor/supervisor.h"

namespace pinfold::supervisor {

// nullopt: run; the report then has the accepted gaps. Otherwise the refusal.
std::optional<Refused> admit(const RunRequest& request, const Choice& choice, HostView& host, Report& report);

}  // namespace pinfold::supervisor
