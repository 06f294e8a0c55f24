// word_shape.cc: counts unusual letter pairs and changes between letters and digits.
// Invariant: a long random text has letter pairs that are rare in words; a name has few changes between letters and
// digits.
// Not here: lists of words (values.cc).
#include "safety/redaction/word_shape.h"

#include <array>
#include <cmath>

namespace pinfold::redaction {
namespace {

using std::string_view;

constexpr std::size_t kLongest = 512;

// For each letter, those that follow it in more than one of a thousand places of documentation and source code: 280 of
// the 676 pairs, and 93 % of the letter pairs in texts.
constexpr std::array<string_view, 26> kFollowing = {"abcdfgiklmnprstuvwy",
                                                    "aceilorsu",
                                                    "acdehiklorstu",
                                                    "adeilorsu",
                                                    "abcdefgilmnopqrstuvwxy",
                                                    "aefilorstu",
                                                    "aehilnorsu",
                                                    "aeiortu",
                                                    "abcdefgklmnoprstvxz",
                                                    "aeo",
                                                    "aeios",
                                                    "adeilostuy",
                                                    "abeilmopsu",
                                                    "acdefgiklnopstuv",
                                                    "abcdfgiklmnoprstuvw",
                                                    "aehiloprstuy",
                                                    "u",
                                                    "abcdefgiklmnoprstuvy",
                                                    "acehiklmnoprstuy",
                                                    "acdefhilmoprstuy",
                                                    "abcdefgilmnprst",
                                                    "aeio",
                                                    "aeior",
                                                    "eipt",
                                                    "anps",
                                                    "ae"};
constexpr std::array<std::uint32_t, 26> kUsual = [] {
  std::array<std::uint32_t, 26> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    for (const char c : kFollowing[i]) out[i] |= std::uint32_t{1} << static_cast<unsigned>(c - 'a');
  return out;
}();

bool is_usual(char first, char second) {
  return (kUsual[static_cast<std::size_t>(lower(first) - 'a')] >> static_cast<unsigned>(lower(second) - 'a') & 1U) != 0;
}

struct LetterChanges {
  std::size_t pairs = 0;    // letters with a letter after them
  std::size_t unusual = 0;  // of those, pairs that are rare in words
  std::size_t turns = 0;    // from a letter to a digit or back, without a sign between
};

LetterChanges letter_changes(string_view value) {
  LetterChanges out;
  for (std::size_t i = 1; i < value.size(); ++i) {
    const char before = value[i - 1];
    const char c = value[i];
    if (is(before, kLetter) && is(c, kLetter)) {
      if (is(before, kLower) && is(c, kUpper)) continue;  // a new word
      ++out.pairs;
      out.unusual += is_usual(before, c) ? std::size_t{0} : std::size_t{1};
    } else if (is(before, kAlnum) && is(c, kAlnum) && is(before, kDigit) != is(c, kDigit)) {
      ++out.turns;
    }
  }
  return out;
}

bool is_constant(string_view value) {
  return all_of(value, kUpper | kDigit | kDash) && value.find('_') != string_view::npos;
}

bool has_vowel(string_view word) { return word.find_first_of("aeiouyAEIOUY") != string_view::npos; }

}  // namespace

std::size_t distinct_bytes(string_view text) {
  std::array<bool, 256> seen{};
  std::size_t count = 0;
  for (const char c : text) {
    bool& known = seen[static_cast<unsigned char>(c)];
    count += known ? 0 : 1;
    known = true;
  }
  return count;
}

double entropy(string_view text) {
  std::array<std::uint16_t, 256> counts{};
  for (const char c : text.substr(0, kLongest)) ++counts[static_cast<unsigned char>(c)];
  const auto size = static_cast<double>(std::min(text.size(), kLongest));
  double bits = 0;
  for (const std::uint16_t count : counts)
    if (count > 0) bits -= count / size * std::log2(count / size);
  return bits;
}

bool is_counting(string_view value) {
  std::size_t steps = 0;
  std::size_t longest = 0;
  for (std::size_t i = 1; i < value.size(); ++i) {
    steps = value[i] == value[i - 1] + 1 ? steps + 1 : 0;
    longest = std::max(longest, steps);
  }
  return longest >= 9 || (longest + 2 > value.size() && longest >= 6 && !is(value[0], kDigit));
}

bool is_drawn(string_view value) {
  constexpr std::size_t kManyPairs = 10;
  constexpr std::size_t kManyTurns = 6;
  if (value.size() < 12 || is_constant(value)) return false;
  const LetterChanges seen = letter_changes(value);
  if (seen.turns >= kManyTurns) return true;
  const std::size_t weight = seen.unusual * 20 + seen.turns * 10;  // a turn makes half a pair's doubt
  return seen.pairs >= kManyPairs - std::min<std::size_t>(seen.turns, 4) && weight >= seen.pairs * 7;
}

bool is_wordy(string_view value) {
  std::size_t digits = 0;
  std::size_t letters = 0;
  std::size_t singles = 0;
  bool words = true;
  parts_of(value, [&](string_view part) {
    if (is(part[0], kDigit)) {
      digits += part.size();
      words = words && part.size() <= 4;
      return;
    }
    letters += part.size();
    const bool shape = all_of(part.substr(1), kLower) || all_of(part, kUpper);
    if (part.size() == 1) ++singles;
    words = words && shape && part.size() <= 16 && (part.size() < 5 || has_vowel(part));
  });
  return words && letters >= digits * 2 && (singles < 2 || value.size() < 8) && !is_drawn(value);
}

bool has_capital_start(string_view value) {
  return value.size() > 1 && is(value[0], kUpper) && all_of(value.substr(1), kLower | kBlank);
}

}  // namespace pinfold::redaction
