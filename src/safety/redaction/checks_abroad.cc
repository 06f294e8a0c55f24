// checks_abroad.cc: check digits of more countries, as their owners publish them.
// Invariant: never reads past the end of an input.
// Not here: contexts and separators.
#include <array>

#include "safety/redaction/check_sums.h"
#include "safety/redaction/checks.h"
#include "safety/redaction/word_shape.h"

namespace pinfold::redaction {

using std::string_view;

namespace {

bool same_digits(string_view digits) { return digits.find_first_not_of(digits[0]) == string_view::npos; }

// YYMMDD, or with the day first.
bool begins_with_date(string_view digits) { return is_day(number(digits.substr(2, 2)), number(digits.substr(4, 2))); }
bool begins_with_day(string_view digits) { return is_day(number(digits.substr(2, 2)), number(digits.substr(0, 2))); }

int place(char c, string_view alphabet) {
  const std::size_t at = alphabet.find(c);
  return at == string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

bool is_any(string_view) { return true; }

bool is_uatp(string_view digits) { return all_digits(digits, 15) && digits[0] == '1' && luhn(digits); }

bool is_itin(string_view digits) {
  // 987-65-4320 to 4329 are reserved for advertisements.
  if (!all_digits(digits, 9) || digits[0] != '9' || digits.starts_with("98765432")) return false;
  const int group = number(digits.substr(3, 2));
  return (group >= 50 && group <= 65) || (group >= 70 && group <= 88) || (group >= 90 && group <= 99 && group != 93);
}

bool is_ein(string_view digits) {
  if (!all_digits(digits, 9) || same_digits(digits)) return false;
  constexpr std::array<int, 17> kNever = {0, 7, 8, 9, 17, 18, 19, 28, 29, 49, 69, 70, 78, 79, 89, 96, 97};
  const int prefix = number(digits.substr(0, 2));
  return std::find(kNever.begin(), kNever.end(), prefix) == kNever.end();
}

bool is_dea(string_view text) {
  if (text.size() != 9 || !all_of(text.substr(2), kDigit)) return false;
  const string_view d = text.substr(2);
  return weighted(d, {1, 2, 1, 2, 1, 2}) % 10 == digit(d[6]) && !same_digits(d);
}

bool is_medicare(string_view digits) {
  return all_digits(digits, 10) && digits[0] >= '2' && digits[0] <= '6' &&
         weighted(digits, {1, 3, 7, 9, 1, 3, 7, 9}) % 10 == digit(digits[8]) && digits[9] != '0';
}

bool is_acn(string_view digits) {
  return all_digits(digits, 9) && !same_digits(digits) &&
         (10 - weighted(digits, {8, 7, 6, 5, 4, 3, 2, 1}) % 10) % 10 == digit(digits[8]);
}

bool is_hetu(string_view text) {
  if (text.size() == 11) {
    if (string_view("ABCDEFUVWXY").find(text[6]) == string_view::npos || !all_of(text.substr(7, 3), kDigit))
      return false;
  } else if (text.size() != 10 || !all_of(text.substr(6, 3), kDigit)) {
    return false;
  }
  if (!all_of(text.substr(0, 6), kDigit) || !begins_with_day(text)) return false;
  const string_view person = text.substr(text.size() - 4, 3);
  const int rest = (number(text.substr(0, 6)) % 31 * (1000 % 31) + number(person)) % 31;
  return number(person) >= 2 && text.back() == "0123456789ABCDEFHJKLMNPRSTUVWXY"[rest];
}

bool is_rrn(string_view digits) {
  return all_digits(digits, 13) && begins_with_date(digits) && digits[6] >= '1' && digits[6] <= '4';
}

bool is_rrn_checked(string_view digits) {
  return is_rrn(digits) && (11 - weighted(digits, {2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5}) % 11) % 10 == digit(digits[12]);
}

bool is_nric(string_view text) {
  if (text.size() != 9 || !all_of(text.substr(1, 7), kDigit)) return false;
  int sum = weighted(text.substr(1), {2, 7, 6, 5, 4, 3, 2});
  switch (text[0]) {
    case 'S': return text[8] == "JZIHGFEDCBA"[sum % 11];
    case 'T': return text[8] == "JZIHGFEDCBA"[(sum + 4) % 11];
    case 'F': return text[8] == "XWUTRQPNMLK"[sum % 11];
    case 'G': return text[8] == "XWUTRQPNMLK"[(sum + 4) % 11];
    case 'M': return text[8] == "KLJNPQRTUWX"[10 - (sum + 3) % 11];
    default: return false;
  }
}

bool is_tnin(string_view digits) {
  return all_digits(digits, 13) && digits[0] != '0' && digits[1] != '0' &&
         (11 - weighted(digits, {13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2}) % 11) % 10 == digit(digits[12]);
}

bool is_it_vat(string_view digits) {
  return all_digits(digits, 11) && number(digits.substr(0, 7)) != 0 && luhn(digits);
}

bool is_mod11_10(string_view digits) {
  if (digits.size() < 2 || !all_of(digits, kDigit)) return false;
  int product = 10;
  for (const char c : digits.substr(0, digits.size() - 1)) {
    const int sum = (digit(c) + product) % 10;
    product = (sum == 0 ? 10 : sum) * 2 % 11;
  }
  return (11 - product) % 10 == digit(digits.back());
}

bool is_de_vat(string_view text) {
  return text.starts_with("DE") && all_digits(text.substr(2), 9) && is_mod11_10(text.substr(2));
}

bool is_pps(string_view text) {
  constexpr string_view kLetters = "WABCDEFGHIJKLMNOPQRSTUV";
  if (text.size() < 8 || text.size() > 9 || !all_of(text.substr(0, 7), kDigit)) return false;
  int sum = weighted(text, {8, 7, 6, 5, 4, 3, 2});
  if (text.size() == 9) {
    const int second = place(text[8], kLetters);
    if (second < 0) return false;
    sum += second * 9;
  }
  return text[7] == kLetters[static_cast<std::size_t>(sum % 23)];
}

bool is_fodselsnummer(string_view digits) {
  if (!all_digits(digits, 11) || !is_day(number(digits.substr(2, 2)) % 40, number(digits.substr(0, 2)) % 40))
    return false;
  const int first = (11 - weighted(digits, {3, 7, 6, 1, 8, 9, 4, 5, 2}) % 11) % 11;
  const int second = (11 - weighted(digits, {5, 4, 3, 2, 7, 6, 5, 4, 3, 2}) % 11) % 11;
  return first == digit(digits[9]) && second == digit(digits[10]);
}

bool is_cpr(string_view digits) { return all_digits(digits, 10) && begins_with_day(digits); }

bool is_ahv(string_view digits) {
  return all_digits(digits, 13) && digits.starts_with("756") &&
         (10 - weighted(digits, {1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3}) % 10) % 10 == digit(digits[12]);
}

bool is_insee(string_view digits) {
  if (!all_digits(digits, 15) || (digits[0] != '1' && digits[0] != '2')) return false;
  const int month = number(digits.substr(3, 2));
  if (month < 1 || (month > 12 && month < 20) || month > 42) return false;
  std::int64_t whole = 0;
  for (const char c : digits.substr(0, 13)) whole = whole * 10 + digit(c);
  return 97 - whole % 97 == number(digits.substr(13));
}

bool is_chinese_id(string_view text) {
  if (text.size() != 18 || !all_of(text.substr(0, 17), kDigit)) return false;
  const int year = number(text.substr(6, 4));
  if (text[0] < '1' || text[0] > '8' || year < 1900 || year > 2099 ||
      !is_day(number(text.substr(10, 2)), number(text.substr(12, 2))))
    return false;
  const int sum = weighted(text, {7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2});
  return text[17] == "10X98765432"[sum % 11];
}

bool is_za_id(string_view digits) {
  return all_digits(digits, 13) && begins_with_date(digits) && digits[10] <= '2' && luhn(digits);
}

bool is_tckn(string_view digits) {
  if (!all_digits(digits, 11) || digits[0] == '0') return false;
  const int odd = weighted(digits, {1, 0, 1, 0, 1, 0, 1, 0, 1});
  const int even = weighted(digits, {0, 1, 0, 1, 0, 1, 0, 1});
  return (odd * 7 - even + 100) % 10 == digit(digits[9]) &&
         weighted(digits, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) % 10 == digit(digits[10]);
}

bool is_egn(string_view digits) {
  if (!all_digits(digits, 10)) return false;
  const int month = number(digits.substr(2, 2));
  return is_day(month % 20, number(digits.substr(4, 2))) && month <= 52 &&
         weighted(digits, {2, 4, 8, 5, 10, 9, 7, 3, 6}) % 11 % 10 == digit(digits[9]);
}

bool is_jmbg(string_view digits) {
  if (!all_digits(digits, 13) || !begins_with_day(digits)) return false;
  const int rest = 11 - weighted(digits, {7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2}) % 11;
  return (rest > 9 ? 0 : rest) == digit(digits[12]);
}

bool is_rodne_cislo(string_view digits) {
  if (!all_digits(digits, 10)) return false;
  int rest = 0;
  for (const char c : digits) rest = (rest * 10 + digit(c)) % 11;
  const int month = number(digits.substr(2, 2)) % 50;
  return rest == 0 && is_day(month > 20 ? month - 20 : month, number(digits.substr(4, 2)));
}

bool is_cnp(string_view digits) {
  if (!all_digits(digits, 13) || digits[0] == '0' || !begins_with_date(digits.substr(1))) return false;
  const int rest = weighted(digits, {2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9}) % 11;
  return (rest == 10 ? 1 : rest) == digit(digits[12]);
}

bool is_travel_document(string_view text) {
  // A year, a serial from nought on and a row of the same digit are no document's number.
  return text[1] != '0' && distinct_bytes(text.substr(1)) > 3;
}

bool is_pan(string_view text) {
  return text.size() == 10 && string_view("ABCFGHJLPT").find(text[3]) != string_view::npos;
}

bool is_person_pan(string_view text) { return text.size() == 10 && text[3] == 'P' && text.substr(5, 4) != "0000"; }

bool is_curp(string_view text) {
  // Ñ has a place of its own between N and O.
  constexpr string_view kAlphabet = "0123456789ABCDEFGHIJKLMN?OPQRSTUVWXYZ";
  if (text.size() != 18 || !is(text[17], kDigit) || !all_of(text.substr(4, 6), kDigit) ||
      !begins_with_date(text.substr(4)) || (text[10] != 'H' && text[10] != 'M' && text[10] != 'X'))
    return false;
  int sum = 0;
  for (std::size_t i = 0; i < 17; ++i) sum += place(text[i], kAlphabet) * static_cast<int>(18 - i);
  return (10 - sum % 10) % 10 == digit(text[17]);
}

}  // namespace pinfold::redaction
