// glob.h: patterns over relative paths: ** * ? [a-z] [!x] {a,b} and \ to escape.
// Invariant: matching takes at most (path × pattern) steps; no recursion.
// Not here: walking directories.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/result.h"

namespace pinfold {

// Does the text use any pattern character?
bool is_pattern(std::string_view text);

// The regular expression that matches these bytes and no others.
std::string regex_literal(std::string_view text);

class Glob {
 public:
  // A pattern without a slash matches at any depth, as if it began with "**/". A leading slash makes it absolute. A "/"
  // at the end is ignored. "**/" matches zero or more directories, "/**" at the end one or more names.
  static Result<Glob> parse(std::string_view pattern);

  // A pattern that matches this path and nothing else.
  static std::string escaped(std::string_view path);

  bool absolute() const { return absolute_; }
  // Only the last name of a path decides ("**/x").
  bool by_name() const { return by_name_; }
  // For an absolute pattern, the directory before the first wildcard ("/srv" for "/srv/*/key").
  const std::string& fixed_prefix() const { return fixed_prefix_; }
  // With by_name(): the name itself where it has no wildcard, else empty.
  const std::string& literal_name() const { return literal_name_; }

  // `relative` has no leading slash (for absolute patterns: the path without its first slash).
  bool matches(std::string_view relative) const;
  // With by_name(): is this the name?
  bool matches_name(std::string_view name) const;
  // A POSIX extended regular expression for the same relative paths, without anchors (glob_expression.cc).
  std::string expression() const;

 private:
  struct Segment {
    std::string text;        // as written, escapes and classes included
    bool any_depth = false;  // "**"
    bool literal = false;    // no wildcard; `text` has its escapes resolved
  };
  using Alternative = std::vector<Segment>;

  static Result<Alternative> segments(std::string_view pattern);
  static std::string segment_expression(const Segment& segment);
  static bool segment_matches(const Segment& segment, std::string_view name);
  static bool alternative_matches(const Alternative& alternative, std::string_view relative);

  std::vector<Alternative> alternatives_;
  std::string fixed_prefix_;
  std::string literal_name_;
  bool absolute_ = false;
  bool by_name_ = false;
};

}  // namespace pinfold
