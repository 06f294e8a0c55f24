// coverage.h: how well AppContainer enforces a plan.
// Invariant: what was not found on this machine is absent, and said; what Windows has no mechanism for is never called
// enforced. Not here: finding out (os/facts.h), deciding (supervisor).
#pragma once

#include <string>
#include <vector>

#include "backend/windows/grants.h"
#include "pinfold/coverage.h"

namespace pinfold::backend::on_windows {

// Where the command's streams lead: with none of them on a console it gets an invisible one of its own.
enum class Streams { kElsewhere, kConsole };

// What this machine has. Each reason is empty where the thing is there.
struct WindowsFacts {
  std::string no_container{};     // why there are no app containers
  std::string no_child_policy{};  // why a process cannot be kept from having children
  Streams streams = Streams::kConsole;
  std::vector<std::string> system{};  // directories that Windows opens to every container
};

std::vector<Coverage> windows_coverage(const Plan& plan, const AclPlan& acl, const WindowsFacts& facts);

}  // namespace pinfold::backend::on_windows
