// caches.h: whose a project's cache is.
// Invariant: a cache directory names its project in a file of its own, beside what the sandbox sees of it.
// Not here: making the directory (backends), writing the file (cli, library).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::plan {

inline constexpr const char* kCacheOwner = "project";

// The project whose cache a run gets.
std::string cached_project(const std::vector<std::string>& workspaces, const std::string& working_dir);

// The directory that holds the cache of this plan and kCacheOwner; empty: it has none.
std::string cache_directory(const Plan& plan);

}  // namespace pinfold::plan
