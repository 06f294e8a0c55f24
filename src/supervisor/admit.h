// admit.h: may this plan run with this coverage?
#pragma once

#include <optional>
#include <vector>

#include "supervisor/supervisor.h"

namespace pinfold::supervisor {

// Nothing: go on. Otherwise the refusal. `notes` gets what was run in spite of a gap.
std::optional<Refused> admit(const Request& request, const std::vector<Coverage>& coverage,
                             std::vector<std::string>& notes);

}  // namespace pinfold::supervisor
