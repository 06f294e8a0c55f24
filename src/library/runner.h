// runner.h: the body of a Runner; src/app passes the backends, because only it names concrete ones.
// Not here: the API (include/pinfold/run.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "base/host_view.h"
#include "pinfold/run.h"
#include "sys/mask_directory.h"

namespace pinfold {

// Called once for each run, because a backend prepares state for one run; threads must not share it.
using MakeRegistry = std::function<backend::Registry()>;

struct Runner::Body {
  MakeRegistry backends;
  std::shared_ptr<Decider> decider;
};

namespace library {
// Creates those of Pinfold's own directories that the plan would show once they exist; null: none. Otherwise compile
// the plan again, so that it hides them, and keep the result until the run has ended.
Result<std::shared_ptr<sys::MaskDirectories>> make_own_directories(const Plan& plan, HostView& host);
// Writes the project's path into its cache directory.
void keep_cache_owner(const Plan& plan, const std::vector<std::string>& workspaces);
}  // namespace library

// An error if the command is invalid.
Result<void> check(const Command& command);

}  // namespace pinfold
