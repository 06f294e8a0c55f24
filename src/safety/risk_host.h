// risk_host.h: the risk of connecting to a host.
// Invariant: as risk.h. Not here: paths (risk.cc).
#pragma once

#include <string_view>

#include "pinfold/approval.h"

namespace pinfold::safety {

// "example.org", "example.org:443", "*.example.org", "10.1.2.3:22", "[::1]:80", "10.0.0.0/8:22".
Risk host_risk(std::string_view resource);

}  // namespace pinfold::safety
