// git_layout.h: which directories git takes for a git directory, by the names in them.
// Invariant: git's is_git_directory() requires a HEAD, and `objects` and `refs` in the common directory, which is the
// directory itself or the one that a file `commondir` names. A common directory needs no HEAD, and git reads its
// configuration and hooks. Contents and modes can change later, so only names count: every directory that git accepts
// is accepted here. Names are compared without case, as some file systems do. Not here: reading directories.
#pragma once

#include <array>
#include <string_view>

namespace pinfold::git {

// Compares ASCII names without case; `lower` is in lower case.
constexpr bool is_folded(std::string_view name, std::string_view lower) {
  if (name.size() != lower.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i] >= 'A' && name[i] <= 'Z' ? static_cast<char>(name[i] + 32) : name[i];
    if (c != lower[i]) return false;
  }
  return true;
}

class Layout {
 public:
  constexpr void note(std::string_view name) {
    switch (name.size()) {
      case 4:
        head_ = head_ || is_folded(name, "head");
        refs_ = refs_ || is_folded(name, "refs");
        dot_git_ = dot_git_ || is_folded(name, ".git");
        break;
      case 7: objects_ = objects_ || is_folded(name, "objects"); break;
      case 9: commondir_ = commondir_ || is_folded(name, "commondir"); break;
      default: break;
    }
  }
  constexpr bool is_git_directory() const { return (head_ && commondir_) || (objects_ && refs_); }
  constexpr bool has_head() const { return head_; }
  constexpr bool has_dot_git() const { return dot_git_; }
  constexpr bool has_commondir() const { return commondir_; }

 private:
  bool head_ = false, refs_ = false, objects_ = false, commondir_ = false, dot_git_ = false;
};

// The names that note() looks for.
inline constexpr auto kLayoutNames = std::to_array<std::string_view>({".git", "HEAD", "objects", "refs", "commondir"});

}  // namespace pinfold::git
