// files_hash.h: one hash of all files in a plugin's folder.
// Invariant: depends only on names, contents, executable bits and link targets; reads nothing outside of the folder;
// work is bounded. Not here: the reaction to a change (approval_status.h).
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

// "sha256:…". Without the manifest: `start` and the hash of the permissions cover its relevant parts.
Result<std::string> files_hash(const std::string& folder, const std::string& start, FolderBounds bounds = {});

// The same from metadata only, without reading files. Any change of a file changes the hash, because only the kernel
// sets st_ctim.
struct FolderMetadata {
  std::string hash{};              // of names, kinds, inodes, sizes and times
  std::int64_t newest_change = 0;  // nanoseconds since 1970
  std::uint64_t bytes = 0;
};
Result<FolderMetadata> read_folder_metadata(const std::string& folder, const std::string& start,
                                            FolderBounds bounds = {});

// Copies the folder to `to`, which must not exist: files, directories, and links that stay inside.
Result<void> copy_folder(const std::string& from, const std::string& to, FolderBounds bounds = {});

}  // namespace pinfold::plugin
