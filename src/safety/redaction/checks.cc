// checks.cc: check digits, as their owners publish them.
// Invariant: never reads past the end of an input.
// Not here: contexts and separators.
#include "safety/redaction/checks.h"

#include <sodium/crypto_hash_sha256.h>

#include <array>
#include <cstdint>
#include <string>

#include "safety/redaction/check_sums.h"

namespace pinfold::redaction {
namespace {

using std::string_view;

struct Country {
  string_view code;
  std::size_t length;
};
constexpr Country kCountries[] = {
    {"AD", 24}, {"AE", 23}, {"AL", 28}, {"AT", 20}, {"AZ", 28}, {"BA", 20}, {"BE", 16}, {"BG", 22}, {"BH", 22},
    {"BR", 29}, {"BY", 28}, {"CH", 21}, {"CR", 22}, {"CY", 28}, {"CZ", 24}, {"DE", 22}, {"DK", 18}, {"DO", 28},
    {"EE", 20}, {"EG", 29}, {"ES", 24}, {"FI", 18}, {"FO", 18}, {"FR", 27}, {"GB", 22}, {"GE", 22}, {"GI", 23},
    {"GL", 18}, {"GR", 27}, {"GT", 28}, {"HR", 21}, {"HU", 28}, {"IE", 22}, {"IL", 23}, {"IQ", 23}, {"IS", 26},
    {"IT", 27}, {"JO", 30}, {"KW", 30}, {"KZ", 20}, {"LB", 28}, {"LC", 32}, {"LI", 21}, {"LT", 20}, {"LU", 20},
    {"LV", 21}, {"LY", 25}, {"MC", 27}, {"MD", 24}, {"ME", 22}, {"MK", 19}, {"MR", 27}, {"MT", 31}, {"MU", 30},
    {"NL", 18}, {"NO", 15}, {"PK", 24}, {"PL", 28}, {"PS", 29}, {"PT", 25}, {"QA", 29}, {"RO", 24}, {"RS", 22},
    {"SA", 24}, {"SC", 31}, {"SE", 24}, {"SI", 19}, {"SK", 24}, {"SM", 27}, {"ST", 25}, {"SV", 28}, {"TL", 23},
    {"TN", 24}, {"TR", 26}, {"UA", 29}, {"VA", 22}, {"VG", 24}, {"XK", 20}};

bool mod11_twice(string_view digits, std::size_t body, int most) {
  for (std::size_t check = body; check < digits.size(); ++check) {
    int sum = 0;
    int weight = 2;
    for (std::size_t i = check; i-- > 0;) {
      sum += digit(digits[i]) * weight;
      weight = weight == most ? 2 : weight + 1;
    }
    const int rest = sum % 11;
    if (digit(digits[check]) != (rest < 2 ? 0 : 11 - rest)) return false;
  }
  return true;
}

}  // namespace

bool luhn(string_view digits) {
  int sum = 0;
  bool twice = false;
  for (std::size_t i = digits.size(); i-- > 0; twice = !twice) {
    const int d = digit(digits[i]) * (twice ? 2 : 1);
    sum += d > 9 ? d - 9 : d;
  }
  return sum % 10 == 0;
}

bool is_card(string_view digits) {
  if (digits.size() < 13 || digits.size() > 19 || !all_of(digits, kDigit)) return false;
  const int two = number(digits.substr(0, 2));
  const int three = number(digits.substr(0, 3));
  const int four = number(digits.substr(0, 4));
  const std::size_t size = digits.size();
  const bool visa = digits[0] == '4' && (size == 13 || size == 16 || size == 19);
  const bool mastercard = size == 16 && ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720));
  const bool amex = size == 15 && (two == 34 || two == 37);
  const bool discover = size == 16 && (four == 6011 || two == 65 || (three >= 644 && three <= 649));
  const bool jcb = size == 16 && four >= 3528 && four <= 3589;
  const bool diners =
      (size == 14 || size == 16) && ((three >= 300 && three <= 305) || two == 36 || two == 38 || two == 39);
  const bool unionpay = size >= 16 && two == 62;
  const bool maestro = size == 16 && ((four >= 5018 && four <= 5020) || four == 5038 || four == 5610 || four == 5893 ||
                                      four == 6304 || four == 6759 || (four >= 6761 && four <= 6763));
  if (!(visa || mastercard || amex || discover || jcb || diners || unionpay || maestro)) return false;
  return digits.find_first_not_of(digits[0]) != string_view::npos && luhn(digits);
}

bool is_iban(string_view text) {
  std::size_t length = 0;
  for (const Country& one : kCountries)
    if (text.starts_with(one.code)) length = one.length;
  if (text.size() != length || !all_of(text, kUpperAlnum)) return false;
  int rest = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const char c = text[(i + 4) % length];
    rest = is(c, kDigit) ? (rest * 10 + digit(c)) % 97 : (rest * 100 + c - 'A' + 10) % 97;
  }
  return rest == 1;
}

bool is_ssn(string_view digits) {
  if (!all_digits(digits, 9)) return false;
  const string_view area = digits.substr(0, 3);
  return area != "000" && area != "666" && area[0] != '9' && digits.substr(3, 2) != "00" &&
         digits.substr(5) != "0000" && digits.find_first_not_of(digits[0]) != string_view::npos;
}

bool is_aba(string_view digits) {
  if (!all_digits(digits, 9)) return false;
  const int first = number(digits.substr(0, 2));
  const bool known = first <= 12 || (first >= 21 && first <= 32) || (first >= 61 && first <= 72) || first == 80;
  return known && digits != "000000000" && weighted(digits, {3, 7, 1, 3, 7, 1, 3, 7, 1}) % 10 == 0;
}

bool is_npi(string_view digits) {
  return all_digits(digits, 10) && (digits[0] == '1' || digits[0] == '2') && luhn("80840" + std::string(digits));
}

bool is_nhs(string_view digits) {
  if (!all_digits(digits, 10)) return false;
  const int check = (11 - weighted(digits, {10, 9, 8, 7, 6, 5, 4, 3, 2}) % 11) % 11;
  return check != 10 && check == digit(digits[9]);
}

bool is_aadhaar(string_view digits) {
  if (!all_digits(digits, 12) || digits[0] < '2') return false;
  // The group of symmetries of a pentagon, and a permutation of its ten elements.
  constexpr auto times = [](int a, int b) {
    if (a < 5) return b < 5 ? (a + b) % 5 : (a + b - 5) % 5 + 5;
    return b < 5 ? (a - 5 - b + 5) % 5 + 5 : (a - b + 5) % 5;
  };
  constexpr std::array<int, 10> kPermutation = {1, 5, 7, 6, 2, 8, 3, 0, 9, 4};
  int sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    int d = digit(digits[digits.size() - 1 - i]);
    for (std::size_t n = 0; n < i % 8; ++n) d = kPermutation[static_cast<std::size_t>(d)];
    sum = times(sum, d);
  }
  return sum == 0;
}

bool is_pesel(string_view digits) {
  if (!all_digits(digits, 11)) return false;
  return is_day(number(digits.substr(2, 2)) % 20, number(digits.substr(4, 2))) &&
         (weighted(digits, {1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1})) % 10 == 0;
}

bool is_nif(string_view text) {
  if (text.size() != 9 && text.size() != 8) return false;
  std::string digits(text.substr(0, text.size() - 1));
  if (digits[0] >= 'X' && digits[0] <= 'Z') digits[0] = static_cast<char>('0' + (digits[0] - 'X'));
  return all_of(digits, kDigit) && text.back() == "TRWAGMYFPDXBNJZSQVHLCKE"[number(digits) % 23];
}

bool is_tfn(string_view digits) {
  return all_digits(digits, 9) && weighted(digits, {1, 4, 3, 7, 5, 8, 6, 9, 10}) % 11 == 0;
}

bool is_abn(string_view digits) {
  return all_digits(digits, 11) && digits[0] != '0' &&
         (weighted(digits, {10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19}) - 10) % 89 == 0;
}

bool is_sin(string_view digits) {
  return all_digits(digits, 9) && digits[0] != '8' && digits != "000000000" && luhn(digits);
}

bool is_cpf(string_view digits) {
  return all_digits(digits, 11) && digits.find_first_not_of(digits[0]) != string_view::npos &&
         mod11_twice(digits, 9, 99);
}

bool is_cnpj(string_view digits) {
  return all_digits(digits, 14) && digits.find_first_not_of(digits[0]) != string_view::npos &&
         mod11_twice(digits, 12, 9);
}

bool is_bsn(string_view digits) {
  return all_digits(digits, 9) && digits != "000000000" && weighted(digits, {9, 8, 7, 6, 5, 4, 3, 2, -1}) % 11 == 0;
}

bool is_personnummer(string_view digits) {
  if (digits.size() == 12) digits.remove_prefix(2);
  return all_digits(digits, 10) && is_day(number(digits.substr(2, 2)), number(digits.substr(4, 2)) % 60) &&
         luhn(digits);
}

bool is_steuer_id(string_view digits) { return all_digits(digits, 11) && digits[0] != '0' && is_mod11_10(digits); }

bool is_codice_fiscale(string_view text) {
  constexpr std::array<int, 26> kOdd = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                        20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
  if (text.size() != 16 || !all_of(text, kUpperAlnum)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 15; ++i) {
    const int value = is(text[i], kDigit) ? digit(text[i]) : text[i] - 'A';
    sum += i % 2 == 0 ? kOdd[static_cast<std::size_t>(value)] : value;
  }
  return text[15] == 'A' + sum % 26;
}

bool is_nino(string_view text) {
  constexpr string_view kNever = "DFIQUV";
  if (text.size() != 9 || !all_of(text.substr(0, 2), kUpper) || !all_of(text.substr(2, 6), kDigit)) return false;
  const string_view start = text.substr(0, 2);
  for (const string_view none : {"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"})
    if (start == none) return false;
  return kNever.find(start[0]) == string_view::npos && kNever.find(start[1]) == string_view::npos && start[1] != 'O' &&
         text[8] >= 'A' && text[8] <= 'D';
}

bool is_base58check(string_view text) {
  constexpr string_view kAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  std::array<std::uint8_t, 25> bytes{};
  for (const char c : text) {
    std::size_t carry = kAlphabet.find(c);
    if (carry == string_view::npos) return false;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      carry += bytes[i] * std::size_t{58};
      bytes[i] = static_cast<std::uint8_t>(carry & 0xFFU);
      carry >>= 8U;
    }
    if (carry != 0) return false;
  }
  std::array<unsigned char, crypto_hash_sha256_BYTES> once{};
  std::array<unsigned char, crypto_hash_sha256_BYTES> twice{};
  crypto_hash_sha256(once.data(), bytes.data(), 21);
  crypto_hash_sha256(twice.data(), once.data(), once.size());
  return std::equal(twice.begin(), twice.begin() + 4, bytes.begin() + 21);
}

bool is_bech32(string_view text) {
  constexpr string_view kAlphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  constexpr std::array<std::uint32_t, 5> kGenerator = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
  const std::size_t one = text.rfind('1');
  if (one == string_view::npos || one == 0 || text.size() < one + 7 || text.size() > 90) return false;
  std::uint32_t sum = 1;
  const auto take = [&](std::uint32_t value) {
    const std::uint32_t top = sum >> 25U;
    sum = ((sum & 0x1FFFFFFU) << 5U) ^ value;
    for (std::size_t i = 0; i < kGenerator.size(); ++i)
      if (((top >> i) & 1U) != 0) sum ^= kGenerator[i];
  };
  const std::string small = lowered(text);
  for (std::size_t i = 0; i < one; ++i) take(static_cast<std::uint32_t>(small[i]) >> 5U);
  take(0);
  for (std::size_t i = 0; i < one; ++i) take(static_cast<std::uint32_t>(small[i]) & 31U);
  for (std::size_t i = one + 1; i < small.size(); ++i) {
    const std::size_t value = kAlphabet.find(small[i]);
    if (value == string_view::npos) return false;
    take(static_cast<std::uint32_t>(value));
  }
  return sum == 1 || sum == 0x2bc830a3;
}

}  // namespace pinfold::redaction
