// verdict.h: the outcome of a row, from its findings and the coverage reported before the run.
// Invariant: a successful attempt is a known gap only if one of the row's steps has a reported gap; it never counts as
// passed. Changes beyond the row's target are always failures.
// Not here: making attempts (judge.h), the steps of each row (steps.h).
#pragma once

#include <map>
#include <string>

#include "support.h"

namespace escape {

// One row of coverage, as the report has it.
struct StepCoverage {
  std::string strength;  // "enforced", "partial" or "absent"
  std::string mechanism;
  std::string gap;
  bool operator==(const StepCoverage&) const = default;
};
using Coverage = std::map<std::string, StepCoverage>;
// From a report of `pinfold run`; empty when there is none.
Coverage coverage_in(const std::string& report_file);

// The steps that should stop a row's attempt.
struct Steps {
  Texts any_gap = {};  // partial or absent: both explain its success
  Texts absence =
      {};  // it attacks their core, which a partial step stops, too: only their absence explains its success
};
// A promise of Pinfold on every backend, for any coverage.
inline constexpr const char* kAlways = "always";

// "files.read is partial: …" for the first step that explains the success, or nothing.
std::string explanation(const Steps& steps, const Coverage& coverage);

enum class Outcome { kPassed, kNotEnforced, kNotTried, kFailed };

// Whether a row on this backend may be a known gap. A backend that has stopped every attempt so far must go on to do
// so, also where its coverage reports a gap.
enum class Tolerance { kNone, kKnownGaps };

struct Findings {
  std::string control;   // errors of the bare control, or of the suite itself
  std::string untried;   // why the boxed attempt was not even made, though it should have been
  std::string through;   // how it succeeded, or why it does not count as denied
  std::string attacked;  // differences on the host, in the target of the row
  std::string beyond;    // other differences
};

struct Verdict {
  Outcome outcome;
  std::string because;  // the explanation, when it was not enforced
};

Verdict verdict_of(const Findings& findings, const Steps& steps, const Coverage& coverage, Tolerance tolerance);

}  // namespace escape
