// runner.h: how a Runner comes by its backends: given, because only src/app names concrete ones.
// Not here: the API (include/pinfold/run.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "base/host_view.h"
#include "pinfold/run.h"

namespace pinfold {

// Called once for each run: a backend keeps a run's beginnings, so that threads do not share one.
using MakeRegistry = std::function<backend::Registry()>;

struct Runner::Body {
  MakeRegistry backends;
  std::shared_ptr<Decider> decider;
};

namespace library {
// Makes those of Pinfold's own directories that the plan would show once they exist. True: plan again, to hide them.
bool make_own_directories(const Plan& plan, HostView& host);
// Names the project in the directory of its cache.
void keep_cache_owner(const Plan& plan, const std::vector<std::string>& workspaces);
}  // namespace library

// Is it one that can be run at all?
Result<void> check(const Command& command);

}  // namespace pinfold
