// matcher.h: matches text or a regular expression, in linear time.
// Invariant: no match reaches over the end of a line. Each thread has its own.
// Not here: files.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pinfold/files.h"

namespace pinfold::files {

class Matcher {
 public:
  static Result<Matcher> compile(std::string_view pattern, const SearchOptions& options);
  Matcher(Matcher&& other) noexcept;
  Matcher& operator=(Matcher&& other) noexcept;
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;
  ~Matcher();

  // The first line at or after `from` (the beginning of a line) that matches: where it begins, or npos.
  std::size_t next_line(std::string_view text, std::size_t from) const;
  // Every match in one line: begin and length.
  std::vector<std::pair<std::size_t, std::size_t>> hits(std::string_view line) const;

 private:
  struct Body;
  explicit Matcher(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace pinfold::files
