// property.h: a property that must hold for random values: EXPECT_EQ(holds("…", 100, [] { … }), "").
// Invariant: the same cases on every run, so that CI does not flake. RC_PARAMS="max_success=20000" looks further, from
// a new seed that a failure prints together with what reproduces it. Not here: anything a program outside tests should
// include.
#pragma once

#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

namespace pinfold {

// How many of so many cases are run.
constexpr int share_of(int cases) {
#ifdef __SANITIZE_ADDRESS__
  return cases / 8;  // slow, and it looks for something else
#else
  return cases;
#endif
}

// How many of the cases must have come to something, where so many must on a whole run.
constexpr int enough(int cases) { return share_of(cases) / (share_of(8) == 8 ? 1 : 2); }

// Empty, or the smallest counterexample in words.
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
