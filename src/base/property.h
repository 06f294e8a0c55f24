// property.h: a property that must hold for random values: EXPECT_EQ(holds("…", 100, [] { … }), "").
// Invariant: the same cases on every run, so that CI does not flake. RC_PARAMS="max_success=20000" runs more cases,
// from a new seed; a failure prints the seed and the parameters that reproduce it.
// Not here: anything a program outside tests should include.
#pragma once

#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

namespace pinfold {

// The number of cases that this build runs.
constexpr int share_of(int cases) {
#ifdef __SANITIZE_ADDRESS__
  return cases / 8;  // slow, and it looks for memory errors
#else
  return cases;
#endif
}

// The least number of useful cases in this build, if a full run must have `cases` of them.
constexpr int enough(int cases) { return share_of(cases) / (share_of(8) == 8 ? 1 : 2); }

// Empty, or the text of the smallest counterexample.
template <typename Testable>
std::string holds(const std::string& what, int cases, Testable&& property) {
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = what;
  rc::detail::TestParams params;
  params.seed = 20260101;
  params.maxSuccess = share_of(cases);
  if (std::getenv("RC_PARAMS") != nullptr) params = rc::detail::configuration().testParams;
  const auto result = rc::detail::checkTestable(std::forward<Testable>(property), metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return {};
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  return what + "\n" + text.str();
}

}  // namespace pinfold
