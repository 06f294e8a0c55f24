// coverage.h: how well a Seatbelt profile and its launcher enforce a plan, one row for each step.
// Invariant: a step without a mechanism is reported as absent. Pure: the same rows on every host.
#pragma once

#include <vector>

#include "pinfold/coverage.h"

namespace pinfold::backend::darwin {

std::vector<Coverage> seatbelt_coverage(const Plan& plan);

}  // namespace pinfold::backend::darwin
