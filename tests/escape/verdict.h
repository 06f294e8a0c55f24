// verdict.h: what a finding means, given what coverage said before the run.
// Invariant: what got through is excused only by a step that speaks for the row and was said to have a gap; that is
// counted apart, never as passed; what a row does not attack is never excused.
// Not here: making attempts (judge.h), which steps speak for which row (steps.h).
#pragma once

#include <map>
#include <string>

#include "support.h"

namespace escape {

// One row of coverage, as the report has it.
struct Said {
  std::string strength;  // "enforced", "partial" or "absent"
  std::string mechanism;
  std::string gap;
  bool operator==(const Said&) const = default;
};
using Coverage = std::map<std::string, Said>;
// From a report of `pinfold run`; empty when there is none.
Coverage coverage_in(const std::string& report_file);

// The steps that speak for a row.
struct Steps {
  Texts any_gap = {};  // partial or absent: both explain that it got through
  Texts absence = {};  // it attacks what these hold even where they are partial: only their absence explains it
};
// A promise of Pinfold on every backend, for any coverage.
inline constexpr const char* kAlways = "always";

// "files.read is partial: …" for the first of the steps that explains that it got through, or nothing.
std::string explanation(const Steps& steps, const Coverage& coverage);

enum class Outcome { kPassed, kNotEnforced, kNotTried, kFailed };

// Whether this backend may let anything through at all. A backend that has held every row so far keeps to it, also
// where its coverage is careful.
enum class Tolerance { kNone, kWhatWasSaid };

struct Findings {
  std::string control;   // errors of the bare control, or of the suite itself
  std::string untried;   // why the boxed attempt was not even made, though it should have been
  std::string through;   // how it got through, or why it cannot be called denied
  std::string attacked;  // differences on the host, in the target of the row
  std::string beyond;    // what else is different
};

struct Verdict {
  Outcome outcome;
  std::string because;  // the explanation, when it was not enforced
};

Verdict verdict_of(const Findings& findings, const Steps& steps, const Coverage& coverage, Tolerance tolerance);

}  // namespace escape
