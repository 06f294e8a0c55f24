// supervisor.h: starts a command in a sandbox, relays its streams, times it, ends it, and reports.
// Invariant: the command is not started unless every required step is enforced or the caller decided otherwise.
// Not here: walls (backend), rendering (report).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/host_view.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"

namespace pinfold::supervisor {

struct Request {
  const Plan* plan = nullptr;
  backend::Backend* backend = nullptr;
  std::vector<std::string> argv;
  // Asked with the rows that refuse when the plan says `prompt`; no asker means no.
  std::function<bool(const std::vector<Coverage>&)> ask;
  // Told with the rows that would refuse when the plan says `warn`, before the command starts.
  std::function<void(const std::vector<Coverage>&)> warn;
};

Report run(const Request& request, HostView& host);

}  // namespace pinfold::supervisor
