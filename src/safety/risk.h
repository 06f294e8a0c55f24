// risk.h: what could come of allowing one operation, in one plain sentence.
// Invariant: advice for a person, never a decision; pure; no byte of the resource is in the words. What is not known is
// medium, never low. Not here: asking (session), what a yes gives (policy/grants.h).
#pragma once

#include <string_view>
#include <vector>

#include "pinfold/question.h"

namespace pinfold::safety {

// `operation` and `resource` as in AccessQuestion: a canonical path, or a host with or without its port. Paths of
// `home` and `workspaces` are canonical.
Risk risk_of(std::string_view operation, std::string_view resource, std::string_view home,
             const std::vector<std::string>& workspaces);

}  // namespace pinfold::safety
