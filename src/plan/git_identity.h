// git_identity.h: who the user is, out of their git configuration, and nothing else.
// Invariant: the result holds no key that runs anything, whatever the input says.
// Not here: reading files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pinfold::plan {

// Configuration text with user.name, user.email, init.defaultBranch and safe.directory of the given files, later files
// overriding earlier ones; empty if they say none of it.
std::string git_identity(const std::vector<std::string>& files);

}  // namespace pinfold::plan
