// exact.cc: the encodings of a value, and the search for all of them at once.
// Invariant: an encoding is used only if it is too long to occur by chance.
// Not here: values without a name.
#include "safety/redaction/exact.h"

#include <algorithm>
#include <cstring>

#include "base/encode.h"
#include "safety/redaction/chars.h"

namespace pinfold::redaction {
namespace {

using std::string_view;

constexpr std::size_t kShortestEncoding = 8;
constexpr std::size_t kShortestLine = 16;

std::string hex(string_view value, string_view digits) {
  std::string out;
  for (const char c : value) {
    out += digits[static_cast<unsigned char>(c) >> 4U];
    out += digits[static_cast<unsigned char>(c) & 15U];
  }
  return out;
}

std::string percent(string_view value, string_view digits) {
  std::string out;
  for (const char c : value) {
    if (is(c, kName) || c == '.' || c == '~')
      out += c;
    else
      out += "%" + hex({&c, 1}, digits);
  }
  return out;
}

std::string json_escaped(string_view value, bool slashes) {
  std::string out;
  for (const char c : value) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '/': out += slashes ? "\\/" : "/"; break;
      default: out += c;
    }
  }
  return out;
}

// The middle part of the base64 of a longer text in which the value begins `shift` bytes after a group of three.
std::string base64_inside(string_view value, std::size_t shift) {
  const std::string whole = base64(std::string(shift, '\0') + std::string(value));
  const std::size_t begin = (8 * shift + 5) / 6;
  const std::size_t end = 8 * (shift + value.size()) / 6;
  return whole.substr(begin, end - begin);
}

std::uint32_t start_of(const char* at) {
  std::uint32_t out = 0;
  std::memcpy(&out, at, sizeof out);
  return out;
}
std::size_t pair_of(const char* at) {
  std::uint16_t out = 0;
  std::memcpy(&out, at, sizeof out);
  return out;
}

}  // namespace

void ExactValues::add_pattern(std::string text, std::size_t least) {
  if (text.size() < least || text.size() < sizeof(std::uint32_t)) return;
  text.resize(std::min(text.size(), kLongest));
  for (const Pattern& known : patterns_)
    if (known.text == text) return;
  longest_ = std::max(longest_, text.size());
  starts_.set(pair_of(text.data()));
  std::vector<std::size_t>& same = by_start_[start_of(text.data())];
  same.push_back(patterns_.size());
  patterns_.push_back({std::move(text), names_.size() - 1});
  std::sort(same.begin(), same.end(),
            [&](std::size_t a, std::size_t b) { return patterns_[a].text.size() > patterns_[b].text.size(); });
}

bool ExactValues::add(string_view name, string_view value) {
  if (value.size() < kShortest) return false;
  names_.emplace_back(name);
  add_pattern(std::string(value), kShortest);
  for (const string_view digits : {"0123456789abcdef", "0123456789ABCDEF"}) {
    add_pattern(hex(value, digits), kShortestEncoding);
    add_pattern(percent(value, digits), kShortest);
  }
  add_pattern(json_escaped(value, false), kShortest);
  add_pattern(json_escaped(value, true), kShortest);
  for (std::size_t shift = 0; shift < 3; ++shift) {
    std::string inside = base64_inside(value, shift);
    add_pattern(inside, kShortestEncoding);
    for (char& c : inside) c = c == '+' ? '-' : c == '/' ? '_' : c;
    add_pattern(inside, kShortestEncoding);
  }
  // A value of several lines may be shown line by line.
  for (string_view rest = value; rest.find('\n') != string_view::npos;) {
    const std::size_t end = rest.find('\n');
    add_pattern(std::string(rest.substr(0, end)), kShortestLine);
    rest.remove_prefix(end + 1);
    if (rest.find('\n') == string_view::npos) add_pattern(std::string(rest), kShortestLine);
  }
  return true;
}

std::optional<ExactValues::Hit> ExactValues::next(string_view text, std::size_t from, std::size_t until) const {
  if (text.size() < sizeof(std::uint32_t)) return std::nullopt;
  until = std::min(until, text.size() - sizeof(std::uint32_t) + 1);
  for (std::size_t at = from; at < until; ++at) {
    if (!starts_.test(pair_of(text.data() + at))) continue;
    const auto same = by_start_.find(start_of(text.data() + at));
    if (same == by_start_.end()) continue;
    for (const std::size_t index : same->second) {
      const Pattern& pattern = patterns_[index];
      if (text.substr(at).starts_with(pattern.text)) return Hit{at, at + pattern.text.size(), pattern.value};
    }
  }
  return std::nullopt;
}

}  // namespace pinfold::redaction
