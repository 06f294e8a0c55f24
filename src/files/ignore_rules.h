// ignore_rules.h: the .gitignore files of one repository, from its top down, and their decision about a path.
// Invariant: pure; as git decides: the deepest file first, in a file the last line first, and nothing below an ignored
// directory comes back. Not here: reading the files (ignore_finder.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/ignore_pattern.h"

namespace pinfold::files {

enum class EntryKind { kDirectory, kOther };

// The lines of one file.
class IgnoreFile {
 public:
  // `base`: the directory that its patterns start from, absolute. `shown`: its name in messages.
  static std::shared_ptr<const IgnoreFile> parse(std::string_view text, std::string base, std::string shown);

  struct Line {
    IgnorePattern pattern;
    std::size_t number = 0;
  };
  // The last line that matches this path (absolute, below base()), or null.
  const Line* match(std::string_view path, EntryKind kind) const;
  const std::string& base() const { return base_; }
  const std::string& shown() const { return shown_; }
  bool empty() const { return lines_.empty(); }

 private:
  std::string base_;
  std::string shown_;
  std::vector<Line> lines_;
};

// The files that count in one directory: a chain to those of the directories above. Cheap to share between threads.
struct IgnoreChain {
  std::shared_ptr<const IgnoreFile> file;
  std::shared_ptr<const IgnoreChain> above;
};
using Ignores = std::shared_ptr<const IgnoreChain>;

// With the lines of one more file, which come before all others; an empty file changes nothing.
Ignores with(Ignores above, std::shared_ptr<const IgnoreFile> file);

struct IgnoreMatch {
  const IgnoreFile* file = nullptr;  // null: it is not ignored
  const IgnoreFile::Line* line = nullptr;
  explicit operator bool() const { return file != nullptr; }
};
// About an entry of the directory that the chain belongs to; that directory itself is not ignored.
IgnoreMatch ignored_by(const Ignores& ignores, std::string_view path, EntryKind kind);

// "git-ignored (/w/.gitignore:3: build/)"
std::string words_of(const IgnoreMatch& ignored);

}  // namespace pinfold::files
