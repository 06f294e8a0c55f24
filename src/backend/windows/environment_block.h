// environment_block.h: variables as the environment block that CreateProcess takes.
// Invariant: sorted by name without case, as Windows looks them up; each name once; no variables but the given ones.
// Not here: which variables (plan), values that exist only on Windows (variables.h).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::on_windows {

// "A=1\0b=2\0\0". Refused: a name that is empty or holds "=", NUL, text that is not UTF-8, two names that differ only
// in case.
Result<std::u16string> environment_block(const std::vector<Variable>& variables);

}  // namespace pinfold::backend::on_windows
