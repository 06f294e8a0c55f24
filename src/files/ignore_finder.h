// ignore_finder.h: the ignore files of a directory, read through its descriptor, and their decision about one path.
// Invariant: reads nothing outside of the pinned roots: ignore files above them, and the user's own, do not count.
// Not here: the meaning of the lines (ignore_rules.h).
#pragma once

#include <string>

#include "files/ignore_rules.h"
#include "files/walk.h"

namespace pinfold::files {

// Whether a listing of the directory contains the entry; kUnknown: not listed, so it is opened.
enum class Presence { kUnknown, kNo, kYes };

// The lines that count in this directory. One with a ".git" in it is a repository of its own: nothing above counts.
Ignores ignores_in(int directory, const std::string& path, Ignores above, Presence git, Presence gitignore);

struct IgnoredPath {
  std::string words;      // empty: it is not ignored
  std::size_t claim = 0;  // length of the path that the line matches: it, or a directory above
  explicit operator bool() const { return !words.empty(); }
};
IgnoredPath find_ignored(const Walker& walker, const std::string& canonical, EntryKind kind);

// The lines that count in a directory, from its root down.
Ignores ignores_down_to(const Walker& walker, const std::string& directory, IgnoredPath* stopped_by);

}  // namespace pinfold::files
