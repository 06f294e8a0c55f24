// supervisor.h: starts a command in a sandbox, relays its streams, times it, ends it, and reports.
// Invariant: the command is not started unless every required step is enforced or the caller accepted the gap.
// Not here: enforcement (backend), rendering (report).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "base/host_view.h"
#include "pinfold/approval.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"
#include "supervisor/approvals.h"
#include "supervisor/approver.h"

namespace pinfold::supervisor {

// Streams that replace the caller's: the command reads `input`, and its output is kept.
struct Capture {
  std::string_view input;  // empty: /dev/null
  std::size_t limit = 0;   // bytes kept of each stream; the rest is read and dropped
  std::string out{};
  std::string err{};
  bool truncated = false;
};

// kForward: the process serves only this command and forwards its signals. kLeave: the process belongs to a program
// that uses the library; its signals are not touched, and the command starts with none blocked or ignored.
enum class Signals { kForward, kLeave };

// Processes that a command leaves running when it exits: kEnd kills them; kLeave lets them run, because the sandbox
// stays.
enum class Leftovers { kEnd, kLeave };

struct RunRequest {
  const Plan* plan = nullptr;
  std::vector<backend::Backend*> candidates;  // tried in this order; see choose.h
  std::vector<std::string> argv;
  std::string working_dir{};          // empty: the plan's directory
  std::vector<Variable> variables{};  // added to the plan's
  Leftovers leftovers = Leftovers::kEnd;
  Signals signals = Signals::kForward;
  Capture* capture = nullptr;    // null: the caller's own streams
  Decider* decider = nullptr;    // decides about gaps if the plan says `prompt`; null: deny
  Approver* approver = nullptr;  // decides about calls of the running command; null: deny
  Widen widen{};                 // compiles the plan for a session or always grant; null: only kOnce is offered
  // Called before the start with the gaps in required steps, if the plan says `warn`.
  std::function<void(const GapRequest&)> warn;
  // Called when the command has started. While it runs, only the relayed streams wait.
  std::function<void()> started;
  // Gets what the command writes to stderr; then the supervisor does not infer denials from it.
  std::function<void(std::string_view)> errors;
  // Called for each denial as it happens; then the report has none.
  std::function<void(const Denial&)> denied;
  // Called when a time-out, a limit or a signal ends the run: from then on no wait for a reader may be unbounded.
  std::function<void()> hurried;
  // Called once, 100 ms after the start, if the command still runs.
  std::function<void()> settled;
};

Report run(const RunRequest& request, HostView& host);
// On a loop that also serves other work.
Report run(const RunRequest& request, HostView& host, sys::EventLoop& loop);

}  // namespace pinfold::supervisor
