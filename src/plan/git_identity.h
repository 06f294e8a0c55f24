// git_identity.h: extracts only the user's name and e-mail address from the git configuration.
// Invariant: for any input, the result holds no key by which git runs a program.
// Not here: reading files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pinfold::plan {

// Configuration text with user.name, user.email, init.defaultBranch and safe.directory of the given files, later files
// overriding earlier ones; empty if they have none of these.
std::string git_identity(const std::vector<std::string>& files);

// core.hooksPath of a repository's configuration, or empty.
std::string git_hooks_path(std::string_view config);

}  // namespace pinfold::plan
