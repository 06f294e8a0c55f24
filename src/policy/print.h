// print.h: a policy as TOML and as JSON.
// Invariant: read_document() and merge() make the same policy out of to_toml(), rule by rule, but for where each rule
// came from. Not here: the table of `policy show` (cli/policy_show.cc).
#pragma once

#include <string>

#include "pinfold/policy.h"

namespace pinfold::policy {

// A profile on top of the policy's preset for each source with rules, so that the order of the sources stays.
// Values of variables are in it, because without them it would be another policy.
std::string to_toml(const Policy& policy);

// One object: every rule with its origin. Values of variables are left out.
std::string to_json(const Policy& policy);

// As a TOML string, quoted.
std::string toml_string(std::string_view raw);

}  // namespace pinfold::policy
