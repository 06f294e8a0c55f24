// git_walk.h: looks through the writable roots for repositories that a run made, wherever it left them.
// Invariant: bounded in entries and time, and names the directories it did not search; a directory that cannot be
// opened does not end the walk; beneath held directories, no symlink followed, shallow before deep. Not here: changes
// to a repository (the caller's function).
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

struct GitFound {
  int directory;
  const std::string& path;  // on the host
  bool has_dot_git;
  bool is_repository;  // by its layout
};

// The directories that a walk did not search.
struct Unsearched {
  std::vector<std::string> named;  // the first few, each with the reason
  std::size_t count = 0;           // all of them
};

// Calls `found` for each directory that has a `.git` or looks like a repository.
Unsearched walk_for_git(const GitGround& ground, const WalkBounds& bounds,
                        const std::function<void(const GitFound&)>& found);

}  // namespace pinfold::backend::on_linux
