// rules.h: plan → Landlock rules, and what they leave open.
// Invariant: a rule never covers what the plan hides, unless that is listed as left open. Landlock cannot deny below
// what it allows: a directory with something hidden in it is allowed entry by entry.
// Not here: what is answered call by call (metadata_broker.cc).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/linux/landlock/access_table.h"
#include "backend/linux/landlock/scratch_home.h"
#include "pinfold/result.h"

namespace pinfold::backend::on_linux {

struct Rule {
  std::string path;
  std::uint64_t rights = 0;
};

struct Rules {
  std::vector<Rule> rules;
  Ground ground;
  // What the plan asks for and rules cannot give, for coverage.
  std::vector<std::string> open_hidden;    // can be read, though hidden by a path
  std::vector<std::string> open_patterns;  // the same, by a pattern
  std::vector<std::string> guarded_only;   // read-only inside something writable
  std::vector<std::string> not_made;       // made-up files outside the home
  std::vector<std::string> no_new_names;   // writable, but for new names on the way to one of Pinfold's own directories
};

Result<Rules> make_rules(const Plan& plan, const Shelter& shelter);

}  // namespace pinfold::backend::on_linux
