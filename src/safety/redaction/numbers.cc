// numbers.cc: national numbers, cards and accounts, by form, check digits and words in front.
// Invariant: a part of a longer number never matches.
// Not here: phones, addresses of machines and mail (contacts.cc).
#include <array>

#include "safety/redaction/chars.h"
#include "safety/redaction/contacts.h"
#include "safety/redaction/number_table.h"
#include "safety/redaction/word_shape.h"

namespace pinfold::redaction {
namespace {

using std::string_view;
using namespace number_table;

constexpr std::size_t run_of_digits(string_view form, bool joined) {
  std::size_t count = 0;
  for (const char c : form) {
    if (c == '~' && joined) continue;
    if (c != 'd') break;
    ++count;
  }
  return count;
}

// How long the text is that has this form, its digits and letters gathered; 0: it has not.
std::size_t match_form(string_view text, string_view form, std::array<char, 40>& gathered, std::size_t& count) {
  std::size_t at = 0;
  char separator = '\0';
  bool separated = false;
  count = 0;
  for (const char want : form) {
    const char c = byte_at(text, at);
    if (want == '~') {
      const char here = c == ' ' || c == '-' ? c : '\0';
      if (separated && here != separator) return 0;
      separator = here;
      separated = true;
      at += here == '\0' ? 0 : 1;
      continue;
    }
    if (want == 'd' || want == 'L' || want == 'a') {
      if (!is(c, want == 'd' ? kDigit : want == 'L' ? kUpper : kUpperAlnum)) return 0;
      gathered[count++] = c;
    } else if (c != want) {
      return 0;
    }
    ++at;
  }
  return at;
}

// How many digits a text of this form may begin with: without separators, or up to the first.
constexpr bool may_begin(string_view form, std::size_t digits) {
  const std::size_t first = run_of_digits(form, false);
  return digits == first || digits == run_of_digits(form, true);
}

// Whether such a text may go on so after its first digits.
constexpr bool may_continue(string_view form, std::size_t digits, char next) {
  const std::size_t first = run_of_digits(form, false);
  const char want = digits == first && first < form.size() ? form[first] : '~';
  if (want == '~') return digits == run_of_digits(form, true) || next == ' ' || next == '-';
  return want == 'L' || want == 'a' ? is(next, kUpperAlnum) : want == next;
}

// For each number of first digits, which of kNumbers can fit.
struct NumberFormats {
  std::array<std::uint8_t, 40> index{};
  std::size_t count = 0;
};
// The characters that may follow the first digits; any other ends the number.
constexpr string_view kContinuations = " -./A";
constexpr std::size_t continuation(char c) {
  return is(c, kUpper) ? kContinuations.size() - 1 : std::min(kContinuations.find(c), kContinuations.size());
}
constexpr auto kFormatsByDigits = [] {
  std::array<std::array<NumberFormats, kContinuations.size() + 1>, 20> out{};
  for (std::size_t digits = 0; digits < out.size(); ++digits)
    for (std::size_t i = 0; i < std::size(kNumbers); ++i) {
      if (!may_begin(kNumbers[i].form, digits)) continue;
      for (std::size_t next = 0; next <= kContinuations.size(); ++next) {
        NumberFormats& here = out[digits][next];
        if (may_continue(kNumbers[i].form, digits, byte_at(kContinuations, next)))
          here.index[here.count++] = static_cast<std::uint8_t>(i);
      }
    }
  return out;
}();

// All of the text, apart from blanks, quotes and line ends.
bool is_alone(const Spot& spot, std::size_t length) {
  return all_of(spot.behind, kSpace | kQuote) && all_of(spot.ahead.substr(length), kSpace | kQuote);
}

// A count, a size or a time has no groups of this kind, no letter and no zero in front; for the rest, the check must be
// one that not every tenth number passes.
bool may_stand_alone(string_view text, Check check) {
  const bool grouped = text.find_first_of(" -./") != string_view::npos;
  const bool strict = check == is_abn || check == is_rrn_checked || check == is_tckn || check == is_jmbg ||
                      check == is_cnp || check == is_za_id || check == is_cpf || check == is_cnpj;
  return check != is_any && (grouped || text[0] == '0' || any_of(text, kUpper) || strict) && distinct_bytes(text) > 2;
}

OptionalMatch match_one(const Spot& spot, const Format& one) {
  std::array<char, 40> gathered{};
  std::size_t count = 0;
  const std::size_t length = match_form(spot.ahead, one.form, gathered, count);
  if (length == 0 || !ends_number(spot.ahead, length) || !one.check({gathered.data(), count})) return std::nullopt;
  if (!one.words.empty() && !has_context(spot, one.words) &&
      !(is_alone(spot, length) && may_stand_alone(spot.ahead.substr(0, length), one.check)))
    return std::nullopt;
  if (one.form.find(' ') != string_view::npos && in_hex_table(spot, length, 4)) return std::nullopt;
  return found(*one.rule, 0, length);
}

// Groups of four, or none.
OptionalMatch find_iban(const Spot& spot) {
  const string_view text = spot.ahead;
  if (!is(byte_at(text, 2), kDigit) || !is(byte_at(text, 3), kDigit)) return std::nullopt;
  std::string compact;
  std::size_t at = 0;
  while (at < text.size() && compact.size() <= 34) {
    if (is(text[at], kUpperAlnum)) {
      compact += text[at++];
    } else if ((text[at] == ' ' || text[at] == '-') && compact.size() % 4 == 0 &&
               is(byte_at(text, at + 1), kUpperAlnum)) {
      if (is_iban(compact)) break;
      ++at;
    } else {
      break;
    }
  }
  if (!is_iban(compact) || is(byte_at(text, at), kAlnum)) return std::nullopt;
  return found(kIban, 0, at);
}

}  // namespace

std::span<const Rule* const> number_rules() { return kNumberRules; }

bool has_context(const Spot& spot, const ContextWords& wanted) {
  constexpr std::size_t kFar = 40;
  const string_view near = spot.behind.substr(spot.behind.size() - std::min(spot.behind.size(), kFar));
  for (std::size_t at = near.size() < spot.behind.size() ? 1 : 0; at < near.size(); ++at) {
    if (!wanted.may_begin(near[at], byte_at(near, at + 1)) || (at > 0 && is(near[at - 1], kLetter))) continue;
    const string_view words = wanted.text;
    const char first = lower(near[at]);
    if (is(first, kSpace | kDigit)) continue;
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find('|', begin), words.size());
      const string_view word = words.substr(begin, end - begin);
      begin = end + 1;
      if (word[0] != first || !starts_like(near.substr(at), word)) continue;
      if (word.size() > 4 || !is(byte_at(near, at + word.size()), kLetter)) return true;
    }
  }
  return false;
}

bool in_hex_table(const Spot& spot, std::size_t length, std::size_t width) {
  const bool before = spot.before() == ' ' && run_back(spot.behind.substr(0, spot.behind.size() - 1), kHex) >= width;
  return before || (byte_at(spot.ahead, length) == ' ' && run_of(spot.ahead, length + 1, kHex) >= width);
}

bool ends_number(string_view text, std::size_t at) {
  const char next = byte_at(text, at);
  if (is(next, kAlnum) || next == '_' || next == '%') return false;
  if ((next == '.' || next == '-' || next == ',' || next == '/') && is(byte_at(text, at + 1), kDigit)) return false;
  return true;
}

bool begins_number(const Spot& spot) {
  const char before = spot.before();
  if (is(before, kAlnum)) return false;
  switch (before) {
    case '.':
    case '_':
    case '-':
    case '/':
    case '%':
    case '$':
    case '&':
    case '#':
    case '@':
    case '+': return false;
    default: return true;
  }
}

OptionalMatch find_number(const Spot& spot) {
  if (is_date(spot.ahead)) return std::nullopt;
  const std::size_t digits = run_of(spot.ahead, 0, kDigit);
  if (digits >= 1 && digits <= 19 && begins_number(spot)) {
    const NumberFormats& fitting = kFormatsByDigits[digits][continuation(byte_at(spot.ahead, digits))];
    for (std::size_t i = 0; i < fitting.count; ++i)
      if (OptionalMatch number = match_one(spot, kNumbers[fitting.index[i]])) return number;
  }
  return find_contact_number(spot, digits);
}

OptionalMatch find_lettered(const Spot& spot) {
  if (!begins_number(spot)) return std::nullopt;
  if (OptionalMatch iban = find_iban(spot)) return iban;
  for (const Format& one : kLettered)
    if (OptionalMatch number = match_one(spot, one)) return number;
  return std::nullopt;
}

}  // namespace pinfold::redaction
