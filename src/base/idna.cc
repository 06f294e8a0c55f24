// idna.cc: the accepted letters, and punycode.
// Invariant: every accepted letter is valid by IDNA 2008, is its own lower case and its own NFC form, and has no rule
// about its neighbours or its direction, so no Unicode table is needed. All other letters are refused.
// Not here: whole names (domain.cc).
#include "base/idna.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/idna_table.h"
#include "base/text.h"
#include "base/utf8.h"

namespace pinfold::idna {
namespace {

using std::string_view;

constexpr string_view kPrefix = "xn--";
// More than a label can hold in any form.
constexpr std::size_t kMostPoints = 63;

struct Range {
  char32_t first;
  char32_t last;
};
bool in(char32_t code, Range range) { return code >= range.first && code <= range.last; }

// Alphabets in which the code of a small letter follows that of its capital.
bool is_capital_of_pair(char32_t code) {
  const bool even =
      ((in(code, {0x100, 0x137}) && code != 0x130) || in(code, {0x14A, 0x177}) || in(code, {0x48A, 0x4BF}) ||
       in(code, {0x4D0, 0x52F}) || in(code, {0x1EA0, 0x1EF9}) || code == 0x1A0) &&
      code % 2 == 0;
  const bool odd = (in(code, {0x139, 0x148}) || in(code, {0x179, 0x17E}) || code == 0x1AF) && code % 2 == 1;
  return even || odd;
}

char32_t small(char32_t code) {
  if (in(code, {'A', 'Z'}) || (in(code, {0xC0, 0xDE}) && code != 0xD7)) return code + 0x20;
  if (is_capital_of_pair(code)) return code + 1;
  if (code == 0x178) return 0xFF;
  if (in(code, {0x391, 0x3AB}) && code != 0x3A2) return code + 0x20;  // Greek
  if (code == 0x386) return 0x3AC;
  if (in(code, {0x388, 0x38A})) return code + 0x25;
  if (code == 0x38C) return 0x3CC;
  if (in(code, {0x38E, 0x38F})) return code + 0x3F;
  if (in(code, {0x410, 0x42F})) return code + 0x20;  // Cyrillic
  if (in(code, {0x400, 0x40F})) return code + 0x50;
  return code;
}

bool is_accepted(char32_t code) {
  if (code < 0x80) return in(code, {'a', 'z'}) || in(code, {'0', '9'}) || code == '-';
  if (small(code) != code) return false;
  // Latin, without ß, ŀ, ŉ, ĳ, ſ and the dotted capital I.
  if (in(code, {0xE0, 0xFF})) return code != 0xF7;
  if (in(code, {0x101, 0x17E}))
    return code != 0x130 && code != 0x132 && code != 0x133 && code != 0x13F && code != 0x140 && code != 0x149;
  if (code == 0x1A1 || code == 0x1B0 || in(code, {0x1EA1, 0x1EF9})) return true;
  // Greek without the final sigma, Cyrillic.
  if (code == 0x390 || in(code, {0x3AC, 0x3CE})) return code != 0x3C2;
  if (in(code, {0x430, 0x45F}) || in(code, {0x48B, 0x4BF}) || in(code, {0x4D1, 0x52F})) return true;
  // Kana, Han, Hangul.
  constexpr auto kEast = std::to_array<Range>({{0x3005, 0x3007},
                                               {0x3041, 0x3096},
                                               {0x309D, 0x309E},
                                               {0x30A1, 0x30FA},
                                               {0x30FC, 0x30FE},
                                               {0x3400, 0x4DB5},
                                               {0x4E00, 0x9FEF},
                                               {0xAC00, 0xD7A3}});
  return std::any_of(kEast.begin(), kEast.end(), [&](const Range& range) { return in(code, range); });
}

// The character composed of a letter and a mark, or 0.
char32_t composed(char32_t base, char32_t mark) {
  const auto less = [](const Composition& one, const std::pair<char32_t, char32_t>& asked) {
    return std::pair<char32_t, char32_t>(one.base, one.mark) < asked;
  };
  const auto* const found =
      std::lower_bound(kCompositions.begin(), kCompositions.end(), std::pair<char32_t, char32_t>(base, mark), less);
  const bool is = found != kCompositions.end() && static_cast<char32_t>(found->base) == base &&
                  static_cast<char32_t>(found->mark) == mark;
  return is ? static_cast<char32_t>(found->composed) : char32_t{0};
}

// RFC 3492, section 5.
constexpr std::uint32_t kBase = 36, kTMin = 1, kTMax = 26, kSkew = 38, kDamp = 700, kBias = 72, kFirst = 128;

std::uint32_t adapt(std::uint32_t delta, std::uint32_t points, std::uint32_t damp) {
  delta /= damp;
  delta += delta / points;
  std::uint32_t k = 0;
  for (; delta > ((kBase - kTMin) * kTMax) / 2; k += kBase) delta /= kBase - kTMin;
  return k + (kBase - kTMin + 1) * delta / (delta + kSkew);
}

std::uint32_t threshold(std::uint32_t k, std::uint32_t bias) {
  return k <= bias ? kTMin : k >= bias + kTMax ? kTMax : k - bias;
}

char digit(std::uint32_t value) { return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26)); }

tl::unexpected<Error> not_punycode() {
  return fail(ErrorKind::kInvalid, "the text after xn-- is not valid punycode for a name", "check the spelling");
}

}  // namespace

std::string punycode(std::u32string_view label) {
  std::string out;
  for (const char32_t code : label)
    if (code < kFirst) out += static_cast<char>(code);
  const auto basic = static_cast<std::uint32_t>(out.size());
  std::uint32_t handled = basic;
  if (basic > 0) out += '-';
  std::uint32_t n = kFirst, bias = kBias;
  std::uint64_t delta = 0;
  while (handled < label.size()) {
    std::uint32_t next = 0x110000;
    for (const char32_t code : label)
      if (code >= n) next = std::min(next, static_cast<std::uint32_t>(code));
    delta += std::uint64_t{next - n} * (handled + 1);
    n = next;
    for (const char32_t code : label) {
      if (code < n) ++delta;
      if (code != n) continue;
      std::uint64_t q = delta;
      for (std::uint32_t k = kBase;; k += kBase) {
        const std::uint32_t t = threshold(k, bias);
        if (q < t) break;
        out += digit(static_cast<std::uint32_t>(t + (q - t) % (kBase - t)));
        q = (q - t) / (kBase - t);
      }
      out += digit(static_cast<std::uint32_t>(q));
      bias = adapt(static_cast<std::uint32_t>(delta), handled + 1, handled == basic ? kDamp : 2);
      delta = 0;
      ++handled;
    }
    ++delta;
    ++n;
  }
  return out;
}

Result<std::u32string> from_punycode(string_view text) {
  if (text.size() > kMostPoints) return not_punycode();
  std::u32string out;
  const std::size_t dash = text.rfind('-');
  if (dash != string_view::npos) {
    for (const char c : text.substr(0, dash)) {
      if (static_cast<unsigned char>(c) >= kFirst) return not_punycode();
      out += static_cast<char32_t>(c);
    }
    text.remove_prefix(dash + 1);
    if (dash == 0) return not_punycode();  // a second spelling of a label without "-"
  }
  std::uint32_t n = kFirst, bias = kBias;
  std::uint64_t i = 0;
  while (!text.empty()) {
    const std::uint64_t before = i;
    std::uint64_t weight = 1;
    for (std::uint32_t k = kBase;; k += kBase) {
      if (text.empty()) return not_punycode();
      const char c = text.front();
      text.remove_prefix(1);
      const bool letter = c >= 'a' && c <= 'z';
      if (!letter && !(c >= '0' && c <= '9')) return not_punycode();
      const auto value = static_cast<std::uint32_t>(letter ? c - 'a' : c - '0' + 26);
      i += value * weight;
      const std::uint32_t t = threshold(k, bias);
      if (value < t) break;
      weight *= kBase - t;
      // 63 code points below 0x110000 stay far below this.
      if (i > 0xFFFFFFFFU || weight > 0xFFFFFFFFU) return not_punycode();
    }
    if (i > 0xFFFFFFFFU) return not_punycode();
    const auto points = static_cast<std::uint32_t>(out.size() + 1);
    bias = adapt(static_cast<std::uint32_t>(i - before), points, before == 0 ? kDamp : 2);
    if (i / points > 0x10FFFF - n) return not_punycode();
    n += static_cast<std::uint32_t>(i / points);
    if (n >= 0xD800 && n <= 0xDFFF) return not_punycode();
    i %= points;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(i), static_cast<char32_t>(n));
    ++i;
  }
  return out;
}

Result<std::string> to_ascii(string_view label) {
  std::u32string points;
  for (std::size_t at = 0; at < label.size();) {
    const CodePoint next = decode_utf8(label, at);
    if (next.length == 0) return fail(ErrorKind::kInvalid, "it is not UTF-8", "write the name in UTF-8, or as xn--…");
    char32_t code = small(next.code);
    if (const char32_t one = points.empty() ? 0 : composed(points.back(), code); one != 0) {
      points.back() = one;
    } else if (is_accepted(code)) {
      points += code;
    } else {
      const std::string letter(label.substr(at, next.length));
      return fail(ErrorKind::kInvalid, "\"" + text::shown(letter) + "\" means different names to different programs",
                  "write the name in its ASCII form, xn--…");
    }
    if (points.size() > kMostPoints) return fail(ErrorKind::kInvalid, "it is longer than 63 bytes", "check the name");
    at += next.length;
  }
  if (points.size() >= 4 && points[2] == '-' && points[3] == '-')
    return fail(ErrorKind::kInvalid, "-- at its third place is kept for ASCII forms", "write the name as xn--…");
  // Composition never yields ASCII, so `points` has a letter beyond ASCII here.
  return std::string(kPrefix) + punycode(points);
}

Result<void> check_ascii(string_view label) {
  auto points = from_punycode(label.substr(kPrefix.size()));
  if (!points) return tl::unexpected<Error>(std::move(points).error());
  const bool beyond = std::any_of(points->begin(), points->end(), [](char32_t code) { return code >= kFirst; });
  const auto is_control = [](char32_t code) { return in(code, {0x80, 0xA0}); };
  if (std::any_of(points->begin(), points->end(), is_control)) return not_punycode();
  if (!beyond || std::string(kPrefix) + punycode(*points) != label) return not_punycode();
  return {};
}

}  // namespace pinfold::idna
