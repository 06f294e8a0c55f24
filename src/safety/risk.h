// risk.h: the risk of allowing one operation: a level and one sentence.
// Invariant: advice for a person, never a decision; pure; the text contains no byte of the resource. An unknown
// resource has medium risk, never low. Not here: approval requests (session), the grant (policy/grants.h).
#pragma once

#include <string_view>
#include <vector>

#include "pinfold/approval.h"

namespace pinfold::safety {

// `operation` and `resource` as in ApprovalRequest: a canonical path, or a host with or without its port. Paths of
// `home` and `workspaces` are canonical.
Risk risk_of(std::string_view operation, std::string_view resource, std::string_view home,
             const std::vector<std::string>& workspaces);

}  // namespace pinfold::safety
