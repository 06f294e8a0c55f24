// caches.h: which project a cache directory belongs to.
// Invariant: each cache directory has a file that names its project; the sandbox does not see that file.
// Not here: making the directory (backends), writing the file (cli, library).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::plan {

inline constexpr const char* kCacheOwner = "project";

// The project of the cache that a run mounts.
std::string cached_project(const std::vector<std::string>& workspaces, const std::string& working_dir);

// The directory that holds the cache of this plan and kCacheOwner; empty: it has none.
std::string cache_directory(const Plan& plan);

}  // namespace pinfold::plan
