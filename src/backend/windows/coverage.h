// coverage.h: how well AppContainer enforces a plan.
// Invariant: a mechanism that this machine lacks is reported as absent; a step without a mechanism on Windows is never
// reported as enforced. Not here: probing the machine (os/backend.cc), deciding (supervisor).
#pragma once

#include <string>
#include <vector>

#include "backend/windows/grants.h"
#include "pinfold/coverage.h"

namespace pinfold::backend::on_windows {

// Whether one of the command's streams is a console. If none is, the command gets an invisible console of its own.
enum class Streams { kElsewhere, kConsole };

// Mechanisms of this machine. A reason is empty if the machine has the mechanism.
struct WindowsFacts {
  std::string no_container{};     // why there are no app containers
  std::string no_child_policy{};  // why a process cannot be kept from having children
  Streams streams = Streams::kConsole;
  std::vector<std::string> system{};  // directories that Windows opens to every container
};

std::vector<Coverage> windows_coverage(const Plan& plan, const AclPlan& acl, const WindowsFacts& facts);

}  // namespace pinfold::backend::on_windows
