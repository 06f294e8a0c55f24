// advice.h: is this command line safe to run, to be asked about, or to be refused?
// Invariant: any bytes give an answer, in time linear in their number. Not here: running, I/O, asking; what an answer
// is made of (pinfold/advice.h).
#pragma once

#include <string_view>

#include "pinfold/advice.h"

namespace pinfold::advice {

std::string_view name_of(Verdict verdict);  // "safe", "ask", "deny"

Advice advise(std::string_view text, Shell shell);

}  // namespace pinfold::advice
