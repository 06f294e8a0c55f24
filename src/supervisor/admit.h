// admit.h: may this plan run behind the walls that were chosen?
#pragma once

#include <optional>

#include "base/host_view.h"
#include "supervisor/choose.h"
#include "supervisor/supervisor.h"

namespace pinfold::supervisor {

// Nothing: go on; the report has the gaps that were accepted. Otherwise the refusal.
std::optional<Refused> admit(const Request& request, const Choice& choice, HostView& host, Report& report);

}  // namespace pinfold::supervisor
