// rules.h: all rules, for lists and tests.
// Not here: the rules themselves.
#pragma once

#include <vector>

#include "safety/redaction/rule.h"

namespace pinfold::redaction {

// By group, then by name; a vendor's prefixes are one rule.
std::vector<const Rule*> all_rules();

}  // namespace pinfold::redaction
