// rules.h: plan → Landlock rules, and the gaps that they leave.
// Invariant: a rule never covers a hidden path, unless that path is listed as open. Landlock cannot deny below a path
// that it allows: a directory with hidden entries is allowed entry by entry.
// Not here: calls that are answered one by one (metadata_broker.cc).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/linux/landlock/access_table.h"
#include "backend/linux/landlock/scratch_home.h"
#include "pinfold/result.h"

namespace pinfold::backend::on_linux {

struct LandlockRule {
  std::string path;
  std::uint64_t rights = 0;
};

struct Rules {
  std::vector<LandlockRule> rules;
  AccessTable access;
  // Parts of the plan that rules cannot enforce, for coverage.
  std::vector<std::string> open_hidden;    // readable, though hidden by a path
  std::vector<std::string> open_patterns;  // the same, by a pattern
  std::vector<std::string> guarded_only;   // read-only paths inside a writable directory
  std::vector<std::string> not_made;       // files that the plan makes outside the home
  std::vector<std::string> no_new_names;   // writable, except for new names beside one of Pinfold's own directories
};

Result<Rules> make_rules(const Plan& plan, const ScratchHome& scratch);

}  // namespace pinfold::backend::on_linux
