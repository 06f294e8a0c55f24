// arguments.h: a profile and a command as the arguments of sandbox-exec. Pure.
// Invariant: sandbox-exec reads the whole profile: text with a NUL byte, which would end it early, is refused.
// Not here: starting it (launcher.h).
#pragma once

#include <string>
#include <vector>

#include "backend/darwin/sbpl.h"
#include "pinfold/result.h"

namespace pinfold::backend::darwin {

inline constexpr const char* kSandboxExec = "/usr/bin/sandbox-exec";

// `command`: an absolute path and its arguments, which the program gets unchanged.
Result<std::vector<std::string>> sandbox_arguments(const Profile& profile, const std::vector<std::string>& command);

}  // namespace pinfold::backend::darwin
