// starter.h: a first pinfold.toml for a project, chosen by the files of its directory.
// Invariant: every line that is not a comment only narrows, so the file needs no consent; it is valid as it is.
// Not here: writing it (cli/init.cc).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"

namespace pinfold::settings {

struct Starter {
  std::string text;
  std::vector<std::string> found;  // "Node (package.json)"
};

Result<Starter> starter_file(const std::string& directory, HostView& host);

}  // namespace pinfold::settings
