// fold.h: several files of one directory become the directory.
// Invariant: never one that may_give() refuses; versions stay versions. Not here: single paths (rule_synthesis.cc).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/text_map.h"
#include "learn/secrets.h"

namespace pinfold::learn {

// Paths, and who wants them how often.
using Grants = std::map<std::string, std::map<std::string, std::uint64_t>>;

class Bounds {
 public:
  Bounds(const Secrets& secrets, const std::vector<std::string>& workspaces)
      : secrets_(secrets), workspaces_(workspaces) {}

  // May this directory be given as a whole?
  bool may_give(const std::string& directory);
  const std::string& home() const { return secrets_.home(); }

 private:
  const Secrets& secrets_;
  const std::vector<std::string>& workspaces_;
  TextMap<bool> holds_secrets_;  // looking through a directory takes its time
};

void fold(Grants& grants, Bounds& bounds);

}  // namespace pinfold::learn
