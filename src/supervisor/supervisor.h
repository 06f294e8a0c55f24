// supervisor.h: starts a command in a sandbox, relays its streams, times it, ends it, and reports.
// Invariant: the command is not started unless every required step is enforced or the caller decided otherwise.
// Not here: walls (backend), rendering (report).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "base/host_view.h"
#include "pinfold/plan.h"
#include "pinfold/question.h"
#include "pinfold/report.h"
#include "supervisor/asker.h"
#include "supervisor/approvals.h"

namespace pinfold::supervisor {

// Streams of the command's own instead of the caller's: it reads `input`, and what it writes is kept.
struct Capture {
  std::string_view input;  // empty: /dev/null
  std::size_t limit = 0;   // bytes kept of each stream; the rest is read and dropped
  std::string out{};
  std::string err{};
  bool truncated = false;
};

// kForward: the process is there for this command alone, and passes its signals on. kLeave: it is somebody else's, and
// its signals are none of our business; the command starts with none blocked or ignored.
enum class Signals { kForward, kLeave };

// What a command leaves running when it ends by itself: ended with it, or left alone, because the sandbox stays.
enum class Leftovers { kEnd, kLeave };

struct Request {
  const Plan* plan = nullptr;
  std::vector<backend::Backend*> candidates;  // tried in this order; see choose.h
  std::vector<std::string> argv;
  std::string working_dir{};          // empty: the plan's
  std::vector<Variable> variables{};  // on top of the plan's
  Leftovers leftovers = Leftovers::kEnd;
  Signals signals = Signals::kForward;
  Capture* capture = nullptr;  // or the caller's own streams
  Decider* decider = nullptr;  // asked when the plan says `prompt`; none means no
  Asker* asker = nullptr;      // asked about what the running command tries; none means no
  Widen widen{};               // how a yes for longer than once becomes a plan; none: only once can be offered
  // Told about the gaps that would refuse when the plan says `warn`, before the command starts.
  std::function<void(const GapQuestion&)> warn;
  // Told as soon as the command runs; what takes its time here keeps nobody waiting but the streams.
  std::function<void()> started;
  // Looks at what the command writes to stderr, instead of looking for denials there by the plan.
  std::function<void(std::string_view)> errors;
  // Told of each denial as it happens, each time; the report then has none.
  std::function<void(const Denial&)> denied;
  // Called when a time-out, a limit or a signal ends the run: after that nothing may wait for a reader without a bound.
  std::function<void()> hurried;
  // Told once the command has run for a moment and may run for long.
  std::function<void()> settled;
};

Report run(const Request& request, HostView& host);
// On a loop that serves more than this run.
Report run(const Request& request, HostView& host, sys::EventLoop& loop);

}  // namespace pinfold::supervisor
