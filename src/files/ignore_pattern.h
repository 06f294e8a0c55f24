// ignore_pattern.h: one line of a .gitignore, with git's own meaning.
// Invariant: pure; matching takes at most (pattern × path) steps; a pattern that git can never match never matches
// here.
// Not here: which file a line stands in, the order of lines (ignore_rules.h).
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinfold::files {

class IgnorePattern {
 public:
  // None: a comment, an empty line, or a pattern that cannot match anything. The line has no newline in it.
  static std::optional<IgnorePattern> parse(std::string_view line);

  // "!x": a path that an earlier line ignores is not ignored.
  bool negated() const { return negated_; }
  // "x/": directories only.
  bool directories_only() const { return directories_only_; }
  // `relative` to the directory of the file that the line stands in; no leading slash, no slash at the end.
  bool matches(std::string_view relative) const;
  const std::string& line() const { return line_; }

 private:
  enum class Step : std::uint8_t {
    kByte,          // this byte
    kSet,           // one of these bytes
    kStar,          // any number of bytes, but no slash
    kDeepStar,      // any number of bytes
    kDeepStarSlash  // the same, or nothing and the slash that follows it is skipped, too
  };
  struct Token {
    Step step = Step::kByte;
    char byte = 0;
    std::uint32_t set = 0;  // index into sets_
  };
  using Bytes = std::bitset<256>;
  enum class Slashes { kApart, kLikeAnyByte };

  bool compile(std::string_view glob, Slashes slashes);
  std::optional<std::size_t> compile_set(std::string_view glob, std::size_t at, Slashes slashes);
  bool run(std::string_view text) const;

  std::string line_;
  std::string literal_;  // the text begins with it (anchored), or equals it or ends with it (by name)
  std::vector<Token> tokens_;
  std::vector<Bytes> sets_;
  bool negated_ = false;
  bool directories_only_ = false;
  bool by_name_ = false;    // no slash in it: the last name of the path decides
  bool ends_with_ = false;  // "*.o": by_name_, and literal_ is the end
};

}  // namespace pinfold::files
