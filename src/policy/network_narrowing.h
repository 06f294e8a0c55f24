// network_narrowing.h: does one list of names and addresses allow what another does not?
// Invariant: exact: an empty answer means that no name, address and port is allowed by the second list alone.
// Not here: modes (narrowing.cc), consent.
#pragma once

#include <string>
#include <vector>

#include "pinfold/network.h"

namespace pinfold::policy {

struct NetworkWidening {
  std::string what;  // a rule, or the one host and port of it that is more: "*.example.org", "bad.example.org:443"
  std::string than;  // why the first list does not allow it
  Origin origin;
};

std::vector<NetworkWidening> network_widenings(const std::vector<DomainRule>& own,
                                               const std::vector<DomainRule>& requested);

}  // namespace pinfold::policy
