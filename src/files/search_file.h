// search_file.h: the matching lines of one open file, with lines around them.
// Invariant: memory is bounded, however large the file or a line of it is; a line longer than that is cut.
// Not here: which files (find_files.cc), matching (matcher.h).
#pragma once

#include <memory>

#include "files/matcher.h"
#include "pinfold/files.h"

namespace pinfold::files {

class FileSearcher {
 public:
  FileSearcher(Matcher matcher, const SearchOptions& options);

  enum class Outcome { kSearched, kBinary, kUnreadable };
  // `size` of fstat(); the file may have changed since.
  Outcome search(int fd, std::size_t size, FileMatches& out);

 private:
  bool room_for(std::size_t bytes);
  // Lines that are whole; false: enough was found.
  bool take(std::string_view text, FileMatches& out);
  void add_line(std::string_view text, std::size_t begin, bool matches, FileMatches& out);
  std::size_t back_by_context(std::string_view text, std::size_t end) const;

  Matcher matcher_;
  const SearchOptions& options_;
  std::unique_ptr<char[]> buffer_;  // NOLINT: bytes for read
  std::size_t capacity_ = 0;
  // About the file at hand:
  std::size_t lines_before_ = 0;   // that are no longer in the buffer
  std::size_t counted_ = 0;        // up to here in the buffer lines were counted …
  std::size_t counted_lines_ = 0;  // … and there were so many
  std::size_t shown_to_ = 0;       // lines that begin before this are in `out` already
  std::size_t searched_to_ = 0;
  std::size_t owed_ = 0;  // lines of context after the last match
};

}  // namespace pinfold::files
