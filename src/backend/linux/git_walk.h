// git_walk.h: looks through the writable roots for repositories that a run made, wherever it left them.
// Invariant: bounded in entries and time, and says what it did not reach; beneath held directories, no symlink
// followed, shallow before deep. Not here: what is done with a repository (given as functions).
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "backend/linux/git_disarm.h"

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

// Calls `found` for each directory that has a `.git` or looks like a repository. Empty, or the first directory that was
// not looked through, and why.
std::string walk_for_git(const GitGround& ground, const WalkBounds& bounds,
                         const std::function<void(const GitFound&)>& found);

}  // namespace pinfold::backend::on_linux
