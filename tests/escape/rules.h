// rules.h: tries the suite's own rules: verdicts on made-up coverage, and that every row has steps that speak for it.
// Invariant: runs nothing; prints a line for each rule and the counts.
// Not here: the rules (verdict.h, steps.h, effects.h).
#pragma once

namespace escape {

bool check_rules();

}  // namespace escape
