// ignore_pattern.cc: one line of a .gitignore, with git's own meaning.
// Invariant: a set of states runs over the path once; hostile patterns cost no more than their length times the path's.
// Not here: files, the order of lines (ignore_rules.cc).
#include "files/ignore_pattern.h"

#include <algorithm>

#include "base/paths.h"

namespace pinfold::files {
namespace {

using std::string_view;

constexpr string_view kSpecial = "*?[\\";

// Blanks at the end do not count, unless a backslash stands before them.
string_view without_trailing_blanks(string_view line) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == ' ') continue;
    if (line[at] == '\\') {
      if (++at >= line.size()) return line;
    }
    end = at + 1;
  }
  return line.substr(0, end);
}

bool in_class(string_view name, unsigned char c, bool& known) {
  const bool lower = c >= 'a' && c <= 'z';
  const bool upper = c >= 'A' && c <= 'Z';
  const bool digit = c >= '0' && c <= '9';
  const bool blank = c == ' ' || c == '\t';
  const bool space = blank || c == '\n' || c == '\r';
  const bool print = c >= 0x20 && c < 0x7F;
  known = true;
  if (name == "alnum") return lower || upper || digit;
  if (name == "alpha") return lower || upper;
  if (name == "blank") return blank;
  if (name == "cntrl") return c < 0x20 || c == 0x7F;
  if (name == "digit") return digit;
  if (name == "graph") return print && !space;
  if (name == "lower") return lower;
  if (name == "print") return print;
  if (name == "punct") return print && c != ' ' && !lower && !upper && !digit;
  if (name == "space") return space;
  if (name == "upper") return upper;
  if (name == "xdigit") return digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  known = false;
  return false;
}

}  // namespace

// `at` is behind the "["; the answer is behind the "]". None: it is not closed, and then it matches nothing.
std::optional<std::size_t> IgnorePattern::compile_set(string_view glob, std::size_t at, Slashes slashes) {
  Bytes set;
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(glob[i]); };
  const bool negated = at < glob.size() && (glob[at] == '!' || glob[at] == '^');
  if (negated) ++at;
  unsigned before = 0;  // the byte that a range may begin with; 0: none
  for (bool first = true;; first = false, ++at) {
    if (at >= glob.size()) return std::nullopt;
    if (glob[at] == ']' && !first) break;
    unsigned now = byte_at(at);
    if (now == '\\') {
      if (++at >= glob.size()) return std::nullopt;
      now = byte_at(at);
      set.set(now);
    } else if (now == '-' && before != 0 && at + 1 < glob.size() && glob[at + 1] != ']') {
      if (glob[++at] == '\\' && ++at >= glob.size()) return std::nullopt;
      for (unsigned c = before; c <= byte_at(at); ++c) set.set(c);
      now = 0;
    } else if (now == '[' && at + 1 < glob.size() && glob[at + 1] == ':') {
      const std::size_t end = glob.find(']', at + 2);
      if (end == string_view::npos) return std::nullopt;
      if (end < at + 3 || glob[end - 1] != ':') {
        set.set('[');  // not a class after all
      } else {
        const string_view name = glob.substr(at + 2, end - at - 3);
        bool known = false;
        for (unsigned c = 0; c < 256; ++c)
          if (in_class(name, static_cast<unsigned char>(c), known)) set.set(c);
        if (!known) return std::nullopt;
        at = end;
        now = 0;
      }
    } else {
      set.set(now);
    }
    before = now;
  }
  if (negated) set.flip();
  if (slashes == Slashes::kApart) set.reset('/');
  tokens_.push_back({Step::kSet, 0, static_cast<std::uint32_t>(sets_.size())});
  sets_.push_back(set);
  return at + 1;
}

// False: it can match nothing.
bool IgnorePattern::compile(string_view glob, Slashes slashes) {
  std::size_t consuming = 0;
  for (std::size_t at = 0; at < glob.size();) {
    // A path has no more bytes than that, and each of these needs one.
    if (consuming > paths::kLongestPath) return false;
    const char c = glob[at];
    if (c == '*') {
      const bool bounded_before = at == 0 || glob[at - 1] == '/';
      const std::size_t end = std::min(glob.find_first_not_of('*', at), glob.size());
      const string_view rest = glob.substr(end);
      const bool several = end - at > 1;
      at = end;
      Step step = slashes == Slashes::kLikeAnyByte ? Step::kDeepStar : Step::kStar;
      if (several && slashes == Slashes::kApart && bounded_before &&
          (rest.empty() || rest[0] == '/' || rest.starts_with("\\/")))
        step = rest.starts_with('/') ? Step::kDeepStarSlash : Step::kDeepStar;
      // Two in a row mean the same as one.
      const std::size_t count = tokens_.size();
      if (step == Step::kDeepStarSlash && count >= 2 && tokens_[count - 2].step == step)
        ++at;
      else
        tokens_.push_back({step});
      continue;
    }
    ++consuming;
    if (c == '?') {
      Bytes any;
      any.set();
      if (slashes == Slashes::kApart) any.reset('/');
      tokens_.push_back({Step::kSet, 0, static_cast<std::uint32_t>(sets_.size())});
      sets_.push_back(any);
      ++at;
    } else if (c == '[') {
      const auto behind = compile_set(glob, at + 1, slashes);
      if (!behind) return false;
      at = *behind;
    } else {
      if (c == '\\' && ++at == glob.size()) return false;
      tokens_.push_back({Step::kByte, glob[at]});
      ++at;
    }
  }
  return true;
}

std::optional<IgnorePattern> IgnorePattern::parse(string_view line) {
  line = line.substr(0, line.find('\0'));
  if (line.empty() || line[0] == '#') return std::nullopt;
  line = without_trailing_blanks(line);
  IgnorePattern out;
  out.line_ = line;
  if (line.starts_with('!')) {
    out.negated_ = true;
    line.remove_prefix(1);
  }
  // Git compares the plain beginning of the line byte by byte, and matches the rest as a pattern of its own.
  std::size_t plain = std::min(line.find_first_of(kSpecial), line.size());
  if (line.ends_with('/')) {
    out.directories_only_ = true;
    line.remove_suffix(1);
  }
  plain = std::min(plain, line.size());
  if (line.empty()) return std::nullopt;
  out.by_name_ = line.find('/') == string_view::npos;
  if (out.by_name_) {
    out.ends_with_ = line[0] == '*' && line.find_first_of(kSpecial, 1) == string_view::npos;
    if (plain == line.size() || out.ends_with_) {
      out.literal_ = line.substr(out.ends_with_ ? 1 : 0);
      return out;
    }
    return out.compile(line, Slashes::kLikeAnyByte) ? std::optional(std::move(out)) : std::nullopt;
  }
  if (line[0] == '/') {
    line.remove_prefix(1);
    --plain;
  }
  out.literal_ = line.substr(0, plain);
  return out.compile(line.substr(plain), Slashes::kApart) ? std::optional(std::move(out)) : std::nullopt;
}

bool IgnorePattern::matches(string_view relative) const {
  if (by_name_) {
    const string_view name = relative.substr(relative.rfind('/') + 1);
    if (ends_with_) return name.ends_with(literal_);
    return tokens_.empty() ? name == literal_ : run(name);
  }
  if (!relative.starts_with(literal_)) return false;
  const string_view rest = relative.substr(literal_.size());
  return tokens_.empty() ? rest.empty() : run(rest);
}

bool IgnorePattern::run(string_view text) const {
  std::vector<std::uint32_t> now;
  std::vector<std::uint32_t> next;
  std::vector<std::size_t> seen(tokens_.size() + 1, 0);  // the round in which a state was last entered, plus one
  const auto add = [&](std::vector<std::uint32_t>& states, std::size_t round, std::size_t state) {
    const bool fresh = seen[state] != round;
    if (fresh) states.push_back(static_cast<std::uint32_t>(state));
    seen[state] = round;
    return fresh;
  };
  // A star can match nothing: the state after it is entered, too.
  const auto enter = [&](std::vector<std::uint32_t>& states, std::size_t round, std::size_t state) {
    for (;; ++state) {
      const bool fresh = add(states, round, state);
      if (state == tokens_.size()) return;
      const Step step = tokens_[state].step;
      if (step == Step::kDeepStarSlash) {
        add(states, round, ++state);  // the slash; no star follows it that could be entered from here
        continue;
      }
      if (!fresh || step == Step::kByte || step == Step::kSet) return;
    }
  };
  enter(now, 1, 0);
  for (std::size_t at = 0; at < text.size() && !now.empty(); ++at) {
    const char c = text[at];
    const std::size_t round = at + 2;
    next.clear();
    for (const std::uint32_t state : now) {
      if (state == tokens_.size()) continue;
      const Token& token = tokens_[state];
      switch (token.step) {
        case Step::kByte:
          if (token.byte == c) enter(next, round, state + 1);
          break;
        case Step::kSet:
          if (sets_[token.set].test(static_cast<unsigned char>(c))) enter(next, round, state + 1);
          break;
        case Step::kStar:
          if (c != '/') enter(next, round, state);
          break;
        case Step::kDeepStar: enter(next, round, state); break;
        case Step::kDeepStarSlash:
          // Only the bare state goes on: the slash may be left out at the beginning alone.
          add(next, round, state);
          add(next, round, state + 1);
          break;
      }
    }
    now.swap(next);
  }
  return std::find(now.begin(), now.end(), tokens_.size()) != now.end();
}

}  // namespace pinfold::files
