// known_files.cc: one line, the glance and the hash, in Pinfold's state.
// Invariant: a change in the same tick of the clock as the reading cannot hide: files that young are not remembered.
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
constexpr std::uint64_t kWorthIt = std::uint64_t{1} << 20U;  // fewer bytes are read as fast as looked up
constexpr std::int64_t kRested = 2'000'000'000;              // nanoseconds: coarser than any clock of a file system

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The hash that was found for this glance, or empty.
std::string remembered(const std::string& state, const FolderGlance& glance) {
  const auto file = sys::read_file_below(state, kName, Links::kStayInside, kLongest);
  if (!file || file->uid != ::geteuid() || (file->mode & 022U) != 0) return {};
  const std::string beginning = glance.hash + " ";
  if (!file->text.starts_with(beginning) || !file->text.ends_with("\n")) return {};
  const std::string hash = file->text.substr(beginning.size(), file->text.size() - beginning.size() - 1);
  return hash.starts_with("sha256:") && hash.size() == glance.hash.size() ? hash : std::string();
}

}  // namespace

Result<std::string> known_files_hash(const std::string& folder, const std::string& start, const std::string& state,
                                     FolderBounds bounds) {
  const std::int64_t began = now();
  PF_TRY(glance, glance_at(folder, start, bounds), "");
  if (glance.bytes < kWorthIt) return files_hash(folder, start, bounds);
  if (std::string hash = remembered(state, glance); !hash.empty()) return hash;
  PF_TRY(hash, files_hash(folder, start, bounds), "");
  PF_TRY(after, glance_at(folder, start, bounds), "");
  if (after.hash != glance.hash || glance.newest_change > began - kRested) return hash;
  if (const auto directory = sys::make_directory(state))
    static_cast<void>(
        sys::publish_file(directory->raw(), kName, glance.hash + " " + hash + "\n", paths::join(state, kName)));
  return hash;
}

}  // namespace pinfold::plugin
