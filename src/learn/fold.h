// fold.h: replaces grants of several files of one directory by the directory.
// Invariant: never a directory that may_grant() refuses; version directories are not merged. Not here: single paths
// (rule_synthesis.cc).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/text_map.h"
#include "learn/secrets.h"

namespace pinfold::learn {

// Each path with the programs that use it and how often.
using Grants = std::map<std::string, std::map<std::string, std::uint64_t>>;

class Bounds {
 public:
  Bounds(const Secrets& secrets, const std::vector<std::string>& workspaces)
      : secrets_(secrets), workspaces_(workspaces) {}

  // Whether a rule may grant this whole directory.
  bool may_grant(const std::string& directory);
  const std::string& home() const { return secrets_.home(); }

 private:
  const Secrets& secrets_;
  const std::vector<std::string>& workspaces_;
  TextMap<bool> holds_secrets_;  // cache: searching a directory is slow
};

void fold(Grants& grants, Bounds& bounds);

}  // namespace pinfold::learn
