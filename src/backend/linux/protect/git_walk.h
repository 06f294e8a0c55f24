// git_walk.h: searches the writable roots for repositories that a run made.
// Invariant: bounded in entries and time, and names the directories it did not search; a directory that cannot be
// opened does not end the walk; beneath held directories, follows no symlink, shallow before deep.
// Not here: changes to a repository (the caller's function).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "backend/linux/protect/git_disarm.h"

namespace pinfold::backend::on_linux {

struct WalkBounds {
  std::size_t entries = 400'000;
  std::chrono::milliseconds time{1500};
};

struct GitMatch {
  int directory;
  const std::string& path;  // on the host
  bool has_dot_git;
  bool is_repository;  // by its layout
};

// The directories that a walk did not search.
struct UnsearchedDirectories {
  std::vector<std::string> named;  // the first few, each with the reason
  std::size_t count = 0;           // all of them
};

// Calls `found` for each directory that has a `.git` or git's layout.
UnsearchedDirectories walk_for_git(const GitContext& context, const WalkBounds& bounds,
                                   const std::function<void(const GitMatch&)>& found);

}  // namespace pinfold::backend::on_linux
