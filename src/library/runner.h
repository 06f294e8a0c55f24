// runner.h: how a Runner comes by its backends: given, because only src/app names concrete ones.
// Not here: the API (include/pinfold/run.h).
#pragma once

#include <functional>
#include <memory>

#include "backend/registry.h"
#include "pinfold/run.h"

namespace pinfold {

// Called once for each run: a backend keeps a run's beginnings, so that threads do not share one.
using MakeRegistry = std::function<backend::Registry()>;

struct Runner::Body {
  MakeRegistry backends;
  std::shared_ptr<Decider> decider;
};

// Is it one that can be run at all?
Result<void> check(const Command& command);

}  // namespace pinfold
