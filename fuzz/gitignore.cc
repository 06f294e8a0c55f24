// gitignore.cc: hostile lines of a .gitignore on hostile paths: the path is the first line, the file is the rest.
// Invariant: no crash, linear, and the same answer as a plain matcher that tries everything.
// Not here: comparison with git (tests/files/oracle.py).
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <string>

#include "files/ignore_rules.h"
#include "world.h"

namespace {

using std::string_view;

// git's own way to match, with everything tried and remembered; only for patterns without sets.
class Plain {
 public:
  Plain(string_view pattern, string_view text) : pattern_(pattern), text_(text) {}
  bool run(std::size_t p, std::size_t t) {
    const auto key = std::make_pair(p, t);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    return known_[key] = compute(p, t);
  }

 private:
  bool compute(std::size_t p, std::size_t t) {
    if (p == pattern_.size()) return t == text_.size();
    const char c = pattern_[p];
    if (c == '*') {
      std::size_t end = p;
      while (end < pattern_.size() && pattern_[end] == '*') ++end;
      const bool bounded = (p == 0 || pattern_[p - 1] == '/') && end - p > 1 &&
                           (end == pattern_.size() || pattern_[end] == '/' || pattern_.substr(end).starts_with("\\/"));
      if (bounded && end < pattern_.size() && pattern_[end] == '/' && run(end + 1, t)) return true;
      for (std::size_t to = t;; ++to) {
        if (run(end, to)) return true;
        if (to == text_.size() || (!bounded && text_[to] == '/')) return false;
      }
    }
    if (t == text_.size()) return false;
    if (c == '?') return text_[t] != '/' && run(p + 1, t + 1);
    if (c == '\\') return p + 1 < pattern_.size() && pattern_[p + 1] == text_[t] && run(p + 2, t + 1);
    return c == text_[t] && run(p + 1, t + 1);
  }
  string_view pattern_;
  string_view text_;
  std::map<std::pair<std::size_t, std::size_t>, bool> known_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pinfold::files;
  using pinfold::fuzz::promise;
  const string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  std::string path(text.substr(0, end));
  const string_view lines = end == string_view::npos ? "" : text.substr(end + 1);
  const std::clock_t began = std::clock();
  const auto file = IgnoreFile::parse(lines, "/r", "/r/.gitignore");
  const Ignores chain = with(nullptr, file);
  const IgnoreMatch found = ignored_by(chain, "/r/" + path, EntryKind::kOther);
  if (found) promise(words_of(found).find('\n') == std::string::npos, "told in one line");
  promise(std::clock() - began < CLOCKS_PER_SEC / 2, "matching is cheap");

  // One anchored pattern without sets, byte for byte, against the plain one.
  const string_view line = lines.substr(0, lines.find('\n'));
  const bool simple = line.size() > 2 && line.size() < 60 && path.size() < 60 && line[0] == '/' && line[1] != '/' &&
                      line.find_first_of(string_view("[\r \0!#", 6)) == string_view::npos && !line.ends_with('/') &&
                      line.find_first_of("*?\\") < 2;
  if (!simple || path.empty()) return 0;
  const auto pattern = IgnorePattern::parse(line);
  const bool ours = pattern && pattern->matches(path);
  promise(ours == Plain(line.substr(1), path).run(0, 0), "as the plain matcher says");
  return 0;
}
