// advice.h: judges a command line: safe, ask or deny.
// Invariant: every input gets a verdict, in time linear in its length. Not here: running, I/O, prompts; the struct
// (pinfold/advice.h).
#pragma once

#include <string_view>

#include "pinfold/advice.h"

namespace pinfold::advice {

std::string_view name_of(AdviceVerdict verdict);  // "safe", "ask", "deny"

Advice advise(std::string_view text, Shell shell);

}  // namespace pinfold::advice
