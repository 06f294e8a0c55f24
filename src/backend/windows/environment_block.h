// environment_block.h: variables as the block that Windows starts programs with.
// Invariant: sorted by name without regard to case, as Windows looks them up; one name once; nothing passes that is not
// given. Not here: which variables (plan), which values only exist on Windows (variables.h).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::on_windows {

// "A=1\0b=2\0\0". Refused: a name that is empty or holds "=", NUL, text that is not UTF-8, two names that differ only
// in case.
Result<std::u16string> environment_block(const std::vector<Variable>& variables);

}  // namespace pinfold::backend::on_windows
