// shell.h: the shell of `pinfold shell`, with a prompt that says where one is.
// Invariant: the user's own start-up files are read where the sandbox shows them, and never changed.
// Not here: the sandbox around it (run.cc).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"

namespace pinfold::cli {

// `wanted`: --shell, or empty for $SHELL.
std::vector<std::string> shell_command(const std::string& wanted, HostView& host);

}  // namespace pinfold::cli
