// glob.cc: patterns over relative paths.
// Invariant: backtracks to the last star only, for names and for "**": at most (path × pattern) steps.
// Not here: walking directories.
#include "base/glob.h"

#include "base/glob_class.h"
#include "base/text.h"

namespace pinfold {
namespace {

constexpr std::size_t kMostAlternatives = 64;
constexpr std::size_t kLongestPattern = 4096;
constexpr auto npos = std::string_view::npos;
using glob_class::class_end;
using glob_class::class_matches;

tl::unexpected<Error> bad(std::string_view pattern, std::string why) {
  return fail(ErrorKind::kInvalid, "the pattern \"" + text::shown(pattern) + "\" " + std::move(why),
              "use **, *, ?, [a-z], [!x] and {a,b}; put \\ before a character that is meant as it is");
}

// Splits the first brace group: {a,b}. Returns false when there is none. Sets `error` for a malformed one.
bool expand_once(std::string_view pattern, std::vector<std::string>& out, std::string& error) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
      continue;
    }
    if (pattern[i] == '[') {
      const std::size_t end = class_end(pattern, i);
      if (end != npos) i = end - 1;
      continue;
    }
    if (pattern[i] != '{') continue;
    std::size_t piece = i + 1;
    std::vector<std::string_view> pieces;
    std::size_t j = piece;
    for (; j < pattern.size(); ++j) {
      if (pattern[j] == '\\') {
        ++j;
        continue;
      }
      if (pattern[j] == '{') {
        error = "nests braces";
        return true;
      }
      if (pattern[j] != ',' && pattern[j] != '}') continue;
      pieces.push_back(pattern.substr(piece, j - piece));
      piece = j + 1;
      if (pattern[j] == '}') break;
    }
    if (j >= pattern.size()) {
      error = "has a { without }";
      return true;
    }
    for (const std::string_view one : pieces)
      out.push_back(std::string(pattern.substr(0, i)) + std::string(one) + std::string(pattern.substr(j + 1)));
    return true;
  }
  return false;
}

}  // namespace

bool is_pattern(std::string_view text) { return text.find_first_of("*?[{") != npos; }

std::string Glob::escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (std::string_view("*?[]{},\\").find(c) != npos) out += '\\';
    out += c;
  }
  return out;
}

Result<Glob::Alternative> Glob::segments(std::string_view pattern) {
  Alternative out;
  std::size_t begin = 0;
  while (begin <= pattern.size()) {
    std::size_t end = begin;
    while (end < pattern.size() && pattern[end] != '/') {
      if (pattern[end] == '\\') {
        if (end + 1 >= pattern.size()) return bad(pattern, "ends with a lone \\");
        end += 2;
      } else if (pattern[end] == '[') {
        const std::size_t after = class_end(pattern, end);
        if (after == npos || pattern.substr(end, after - end).find('/') != npos)
          return bad(pattern, "has a [ without ]");
        end = after;
      } else {
        ++end;
      }
    }
    const std::string_view raw = pattern.substr(begin, end - begin);
    begin = end + 1;
    if (raw.empty() || raw == ".") continue;
    if (raw == "..") return bad(pattern, "contains ..");
    Segment segment{std::string(raw), raw == "**", raw.find_first_of("*?[") == npos};
    if (segment.any_depth && !out.empty() && out.back().any_depth) continue;
    if (segment.literal && raw.find('\\') != npos) {
      segment.text.clear();
      for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] == '\\') ++i;
        segment.text += raw[i];
      }
    }
    out.push_back(std::move(segment));
  }
  return out;
}

Result<Glob> Glob::parse(std::string_view pattern) {
  if (pattern.empty()) return bad(pattern, "is empty");
  if (pattern.size() > kLongestPattern) return bad(pattern.substr(0, 64), "is too long");
  if (pattern.find('\0') != npos) return bad(pattern, "contains a NUL byte");

  std::vector<std::string> done;
  std::vector<std::string> open{std::string(pattern)};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    std::string error;
    std::vector<std::string> expanded;
    if (!expand_once(next, expanded, error)) {
      done.push_back(next);
    } else if (!error.empty()) {
      return bad(pattern, std::move(error));
    } else {
      for (std::string& one : expanded) open.push_back(std::move(one));
    }
    if (open.size() + done.size() > kMostAlternatives) return bad(pattern, "has more than 64 alternatives");
  }

  Glob glob;
  glob.absolute_ = pattern[0] == '/';
  glob.by_name_ = !glob.absolute_;
  for (const std::string& one : done) {
    if ((!one.empty() && one[0] == '/') != glob.absolute_) return bad(pattern, "mixes absolute and relative paths");
    auto parsed = segments(one);
    if (!parsed) return tl::unexpected<Error>(std::move(parsed).error());
    if (parsed->empty()) return bad(pattern, "matches no name");
    const std::string_view trimmed = std::string_view(one).substr(0, one.find_last_not_of('/') + 1);
    if (!glob.absolute_ && trimmed.find('/') == npos && !parsed->front().any_depth)
      parsed->insert(parsed->begin(), Segment{"**", true, false});
    if (parsed->size() != 2 || !parsed->front().any_depth || parsed->back().any_depth) glob.by_name_ = false;
    glob.alternatives_.push_back(std::move(*parsed));
  }
  if (glob.by_name_ && glob.alternatives_.size() == 1 && glob.alternatives_[0].back().literal)
    glob.literal_name_ = glob.alternatives_[0].back().text;
  if (glob.absolute_) {
    // Of several alternatives, the prefix that they share.
    const Alternative& first = glob.alternatives_[0];
    std::size_t shared = first.size() - 1;
    for (const Alternative& other : glob.alternatives_) {
      std::size_t same = 0;
      while (same < shared && same + 1 < other.size() && first[same].literal && other[same].literal &&
             first[same].text == other[same].text)
        ++same;
      shared = same;
    }
    for (std::size_t i = 0; i < shared; ++i) glob.fixed_prefix_ += "/" + first[i].text;
    if (glob.fixed_prefix_.empty()) glob.fixed_prefix_ = "/";
  }
  return glob;
}

bool Glob::segment_matches(const Segment& segment, std::string_view name) {
  if (segment.literal) return segment.text == name;
  const std::string_view pattern = segment.text;
  const char last = pattern.back();
  if (last != '*' && last != '?' && last != ']' && (name.empty() || name.back() != last)) return false;
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = npos;
  std::size_t retry = 0;
  while (n < name.size()) {
    bool step = false;
    std::size_t next = p + 1;
    if (p < pattern.size()) {
      if (pattern[p] == '*') {
        star = p++;
        retry = n;
        continue;
      }
      if (pattern[p] == '?') {
        step = true;
      } else if (pattern[p] == '[') {
        next = class_end(pattern, p);
        step = class_matches(pattern.substr(p + 1, next - p - 2), name[n]);
      } else if (pattern[p] == '\\') {
        next = p + 2;
        step = pattern[p + 1] == name[n];
      } else {
        step = pattern[p] == name[n];
      }
    }
    if (step) {
      p = next;
      ++n;
    } else if (star != npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool Glob::alternative_matches(const Alternative& alternative, std::string_view relative) {
  const auto end_of = [&](std::size_t from) {
    const std::size_t slash = relative.find('/', from);
    return slash == npos ? relative.size() : slash;
  };
  std::size_t p = 0;
  std::size_t n = 0;  // start of the current name; size()+1 after the last
  std::size_t star = npos;
  std::size_t retry = 0;
  while (n <= relative.size()) {
    const std::size_t end = end_of(n);
    if (p < alternative.size() && alternative[p].any_depth) {
      // At the end "**" stands for one or more names, and one is left.
      if (p + 1 == alternative.size()) return true;
      star = p++;
      retry = n;
    } else if (p < alternative.size() && segment_matches(alternative[p], relative.substr(n, end - n))) {
      ++p;
      n = end + 1;
    } else if (star != npos) {
      p = star + 1;
      retry = end_of(retry) + 1;
      n = retry;
    } else {
      return false;
    }
  }
  return p == alternative.size();
}

bool Glob::matches(std::string_view relative) const {
  if (relative.empty()) return false;
  if (by_name_) {
    const std::size_t slash = relative.rfind('/');
    return matches_name(slash == npos ? relative : relative.substr(slash + 1));
  }
  for (const Alternative& alternative : alternatives_)
    if (alternative_matches(alternative, relative)) return true;
  return false;
}

bool Glob::matches_name(std::string_view name) const {
  for (const Alternative& alternative : alternatives_)
    if (segment_matches(alternative.back(), name)) return true;
  return false;
}

}  // namespace pinfold
