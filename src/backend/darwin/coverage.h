// coverage.h: what a Seatbelt profile and its launcher amount to, row by row.
// Invariant: what no mechanism holds is absent, and says so. Pure: the same rows wherever they are asked for.
#pragma once

#include <vector>

#include "pinfold/coverage.h"

namespace pinfold::backend::darwin {

std::vector<Coverage> seatbelt_coverage(const Plan& plan);

}  // namespace pinfold::backend::darwin
