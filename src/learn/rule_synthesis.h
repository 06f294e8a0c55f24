// rule_synthesis.h: from what a command needed to the fewest rules that give it.
// Invariant: no rule gives "/", a home, something around a workspace, a secret, or what the base gives already; what is
// needed and not given is said, with the reason. The same needs make the same rules.
// Not here: the text of a policy file (profile.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "learn/observed_access.h"
#include "learn/secrets.h"
#include "pinfold/plan.h"

namespace pinfold::learn {

// Who wanted it, and how often.
using Users = std::map<std::string, std::uint64_t>;

struct Rule {
  Access access = Access::kRead;
  std::string path;  // absolute; may lead over symlinks that the command uses
  Users users;
  bool looked_at_only = false;
};

struct LeftOut {
  Access access = Access::kRead;
  std::string path;
  std::string why;
  Users users;
};

struct Lesson {
  std::vector<Rule> rules;  // by access, then path
  std::vector<LeftOut> left_out;
  std::vector<std::string> programs;  // that were started, with Programs::kList
  std::vector<std::string> network;   // what was tried and is not allowed
};

// What to make of programs that were started: they may be, unless a list was asked for.
enum class Programs { kAny, kList };

struct Ground {
  const Plan& base;
  const Plan& watched;  // what it could use while it was watched first
  const Secrets& secrets;
  std::vector<std::string> workspaces;  // canonical
  Programs programs = Programs::kAny;
};

Lesson draw(const Needs& needs, const Ground& ground, HostView& host);

}  // namespace pinfold::learn
