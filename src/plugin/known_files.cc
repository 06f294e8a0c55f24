// known_files.cc: the cache: one line with the metadata hash and the files' hash.
// Invariant: a change within the clock tick of the read cannot be missed: files changed in the last 2 s are not cached.
// Not here: walking (files_hash.cc).
#include "plugin/known_files.h"

#include <unistd.h>

#include <chrono>

#include "base/paths.h"
#include "base/try.h"
#include "sys/files.h"

namespace pinfold::plugin {
namespace {

constexpr const char* kName = "files";
constexpr std::size_t kLongest = 512;
constexpr std::uint64_t kWorthIt = std::uint64_t{1} << 20U;  // fewer bytes: reading is as fast as a cache lookup
constexpr std::int64_t kRested =
    2'000'000'000;  // nanoseconds: longer than the timestamp granularity of any file system

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The cached hash for this metadata, or empty.
std::string cached_hash(const std::string& state, const FolderMetadata& metadata) {
  const auto file = sys::read_file_below(state, kName, Links::kStayInside, kLongest);
  if (!file || file->uid != ::geteuid() || (file->mode & 022U) != 0) return {};
  const std::string beginning = metadata.hash + " ";
  if (!file->text.starts_with(beginning) || !file->text.ends_with("\n")) return {};
  const std::string hash = file->text.substr(beginning.size(), file->text.size() - beginning.size() - 1);
  return hash.starts_with("sha256:") && hash.size() == metadata.hash.size() ? hash : std::string();
}

}  // namespace

Result<std::string> known_files_hash(const std::string& folder, const std::string& start, const std::string& state,
                                     FolderBounds bounds) {
  const std::int64_t began = now();
  PF_TRY(metadata, read_folder_metadata(folder, start, bounds));
  if (metadata.bytes < kWorthIt) return files_hash(folder, start, bounds);
  if (std::string hash = cached_hash(state, metadata); !hash.empty()) return hash;
  PF_TRY(hash, files_hash(folder, start, bounds));
  PF_TRY(after, read_folder_metadata(folder, start, bounds));
  if (after.hash != metadata.hash || metadata.newest_change > began - kRested) return hash;
  if (const auto directory = sys::make_directory(state))
    static_cast<void>(
        sys::publish_file(directory->raw(), kName, metadata.hash + " " + hash + "\n", paths::join(state, kName)));
  return hash;
}

}  // namespace pinfold::plugin
