// files_hash.h: one hash for everything that lies in a plugin's folder.
// Invariant: depends on names, contents, what is executable and where links lead, and on nothing else; nothing outside
// of the folder is read; work is bounded. Not here: what is done about a change (standing.h).
#pragma once

#include <cstdint>
#include <string>

#include "pinfold/result.h"

namespace pinfold::plugin {

struct FolderBounds {
  std::size_t entries = 100'000;
  std::uint64_t bytes = std::uint64_t{2} << 30U;
  std::size_t depth = 64;
};

// "sha256:…". The manifest at the top is left out: what counts of it is in `start` and in the permissions' own hash.
Result<std::string> files_hash(const std::string& folder, const std::string& start, FolderBounds bounds = {});

// What can be told of the same without reading it: any change of a file changes this, too, for nobody but the system
// sets the time of a change.
struct FolderGlance {
  std::string hash{};              // of names, kinds, inodes, sizes and times
  std::int64_t newest_change = 0;  // nanoseconds since 1970
  std::uint64_t bytes = 0;
};
Result<FolderGlance> glance_at(const std::string& folder, const std::string& start, FolderBounds bounds = {});

// Copies the folder, which does not exist yet at `to`: files and directories, links that stay inside, nothing else.
Result<void> copy_folder(const std::string& from, const std::string& to, FolderBounds bounds = {});

}  // namespace pinfold::plugin
