// prompt.h: asks the person at the terminal.
// Invariant: no terminal, no answer, anything but "y" or "yes": no.
// Not here: when to ask (supervisor, policy_trust.cc).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "pinfold/coverage.h"

namespace pinfold::cli {

// `question` is printed as it is; the answer is on the same line.
bool ask(const std::string& question);

// Whether to run with gaps.
bool ask_about_gaps(const std::vector<Coverage>& rows, HostView& host);

}  // namespace pinfold::cli
