// prompt.h: asks the person at the terminal whether to run with gaps.
// Invariant: no terminal, no answer, anything but "y" or "yes": no.
// Not here: when to ask (supervisor).
#pragma once

#include <vector>

#include "base/host_view.h"
#include "pinfold/coverage.h"

namespace pinfold::cli {

bool ask_about_gaps(const std::vector<Coverage>& rows, HostView& host);

}  // namespace pinfold::cli
