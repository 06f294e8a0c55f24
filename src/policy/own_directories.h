// own_directories.h: the directories that belong to Pinfold itself: settings, secrets, grants, approvals, journal,
// caches, sockets.
// Invariant: no rule shows them or anything in them (scope_build.cc); only Pinfold's own rules for a plugin do
// (PathRule::own). Not here: making them (settings/own_directories.h).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"

namespace pinfold::policy {

struct OwnDirectory {
  std::string path;  // absolute and lexically normal; it need not exist
  std::string what;  // "Pinfold's own settings"
  bool current;      // the one that this environment uses; the others are those of another HOME or XDG_… variable
};

std::vector<OwnDirectory> own_directories(HostView& host);

}  // namespace pinfold::policy
