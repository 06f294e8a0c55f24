// outcome.cc: exit codes.
// Invariant: every outcome has exactly one exit code; a command's own code is passed on unchanged.
// Not here: text (render.cc), JSON (json.cc), names of signals (signal_name.cc).
#include "report/outcome.h"

#include "pinfold/report.h"

namespace pinfold {

namespace {

constexpr int kTimedOut = 124;
constexpr int kFailed = 125;
constexpr int kRefused = 126;
constexpr int kNotFound = 127;
constexpr int kSignalBase = 128;

struct ExitCode {
  int operator()(const Exited& exited) const { return exited.code; }
  int operator()(const Signaled& signaled) const { return kSignalBase + signaled.signal; }
  int operator()(const TimedOut&) const { return kTimedOut; }
  // "Refused by policy", or after advice, is 126; a gap in enforcement is Pinfold's own failure, 125.
  int operator()(const Refused& refused) const { return refused.by == RefusedBy::kEnforcement ? kFailed : kRefused; }
  int operator()(const SetupFailed& failed) const {
    return failed.stage == SetupStage::kNotFound ? kNotFound : kFailed;
  }
};

}  // namespace

std::string_view name_of(RefusedBy by) {
  if (by == RefusedBy::kAdvice) return "advice";
  return by == RefusedBy::kPolicy ? "policy" : "enforcement";
}

int exit_code(const Outcome& outcome) { return std::visit(ExitCode{}, outcome); }

namespace report {

Outcome outcome_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kRefused: return Refused{RefusedBy::kPolicy, error.text(), error.fix()};
    case ErrorKind::kNotFound: return SetupFailed{SetupStage::kNotFound, error.text(), error.fix()};
    case ErrorKind::kUnavailable: return Refused{RefusedBy::kEnforcement, error.text(), error.fix()};
    case ErrorKind::kInvalid:
    case ErrorKind::kSystem: break;
  }
  return SetupFailed{SetupStage::kSandbox, error.text(), error.fix()};
}

}  // namespace report
}  // namespace pinfold
