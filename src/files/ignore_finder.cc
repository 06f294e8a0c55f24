// ignore_finder.cc: the ignore files of a directory, read through its descriptor.
// Invariant: one name at a time below a held descriptor; only a regular file is an ignore file.
// Not here: the meaning of the lines (ignore_rules.cc).
#include "files/ignore_finder.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "base/paths.h"
#include "sys/call.h"

namespace pinfold::files {
namespace {

constexpr std::size_t kLongestFile = std::size_t{1} << 20;

std::string text_of(int directory, const std::string& name) {
  const sys::Fd fd = sys::Fd::adopt(open_name(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  std::string out;
  if (!fd.is_open() || ::fstat(fd.raw(), &info) != 0 || !S_ISREG(info.st_mode)) return out;
  std::array<char, 16384> buffer;  // NOLINT: filled by read
  while (out.size() < kLongestFile) {
    const auto got = sys::call("read", name, [&] { return ::read(fd.raw(), buffer.data(), buffer.size()); });
    if (!got || *got == 0) break;
    out.append(buffer.data(), static_cast<std::size_t>(*got));
  }
  return out;
}

}  // namespace

Ignores ignores_in(int directory, const std::string& path, Ignores above, Presence git, Presence gitignore) {
  if (git != Presence::kNo) {
    const sys::Fd repository = sys::Fd::adopt(open_name(directory, ".git", O_PATH));
    struct stat info {};
    if (repository.is_open() && ::fstat(repository.raw(), &info) == 0) {
      above = nullptr;
      const sys::Fd inner =
          sys::Fd::adopt(S_ISDIR(info.st_mode) ? open_name(repository.raw(), "info", O_PATH | O_DIRECTORY) : -1);
      if (inner.is_open())
        above = with(nullptr,
                     IgnoreFile::parse(text_of(inner.raw(), "exclude"), path, paths::join(path, ".git/info/exclude")));
    }
  }
  if (gitignore == Presence::kNo) return above;
  const std::string text = text_of(directory, ".gitignore");
  if (text.empty()) return above;
  return with(std::move(above), IgnoreFile::parse(text, path, paths::join(path, ".gitignore")));
}

Ignores ignores_down_to(const Walker& walker, const std::string& directory, IgnoredPath* stopped_by) {
  const Root* root = walker.around(directory);
  if (root == nullptr || !root->directory) return nullptr;
  Ignores ignores = ignores_in(root->fd.raw(), root->path, nullptr, Presence::kUnknown, Presence::kUnknown);
  sys::Fd held;
  int at = root->fd.raw();
  for (std::size_t from = root->path == "/" ? 1 : root->path.size() + 1; from < directory.size();) {
    const std::size_t end = std::min(directory.find('/', from), directory.size());
    const std::string path = directory.substr(0, end);
    if (const IgnoreMatch found = ignored_by(ignores, path, EntryKind::kDirectory); found && stopped_by != nullptr) {
      *stopped_by = {words_of(found), end};
      return ignores;
    }
    const int next = open_name(at, directory.substr(from, end - from), O_PATH | O_DIRECTORY);
    if (next < 0) return ignores;  // removed since: opening it will fail
    held = sys::Fd::adopt(next);
    at = next;
    ignores = ignores_in(at, path, std::move(ignores), Presence::kUnknown, Presence::kUnknown);
    from = end + 1;
  }
  return ignores;
}

IgnoredPath find_ignored(const Walker& walker, const std::string& canonical, EntryKind kind) {
  IgnoredPath out;
  const Root* root = walker.around(canonical);
  if (root == nullptr || root->path == canonical) return out;
  const Ignores ignores = ignores_down_to(walker, std::string(paths::parent(canonical)), &out);
  if (out) return out;
  if (const IgnoreMatch found = ignored_by(ignores, canonical, kind)) out = {words_of(found), canonical.size()};
  return out;
}

}  // namespace pinfold::files
