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

// core.hooksPath of a repository's configuration, or empty.
std::string git_hooks_path(std::string_view config);

}  // namespace pinfold::plan
