// announced.cc: dates of birth, passports and licences, which only a word before them identifies.
// Invariant: looks for the value a few words ahead, on the same line.
// Not here: numbers with check digits (numbers.cc).
#include <array>

#include "safety/redaction/chars.h"
#include "safety/redaction/contacts.h"
#include "safety/redaction/personal.h"

namespace pinfold::redaction {
namespace {

using std::string_view;
using enum Group;

constexpr Rule kBirth{"birth-date", kPersonal, "a date after a word for birth", "date of birth: «14/02/1987»",
                      "released 14/02/2024"};
constexpr Rule kPassport{"passport", kPersonal, "a passport number after the word", "passport no. «C01234567»",
                         "model C01234567"};
constexpr Rule kLicence{"driving-licence", kPersonal, "a driving licence number after the words",
                        "driver's license: «D1234567»", "the MIT license, 2024"};
constexpr Rule kAccount{"bank-account", kPersonal, "an account number or sort code after the words",
                        "account number: «6735837464»", "account 12 of 6735837464"};
constexpr Rule kVin{"vehicle-id", kPersonal, "a vehicle identification number after the word",
                    "VIN: «1HGCM82633A004352»", "serial 1HGCM82633A004352"};
constexpr std::array<const Rule*, 5> kAnnouncedRules = {&kBirth, &kPassport, &kLicence, &kAccount, &kVin};

constexpr string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};

bool begins_month(string_view text) {
  return std::any_of(std::begin(kMonths), std::end(kMonths),
                     [&](string_view month) { return starts_like(text, month); });
}

// "14/02/1987", "1987-02-14", "14 February 1987", "Feb 14, 1987"
std::size_t date_length(string_view text) {
  if (is_date(text)) {
    std::size_t at = run_of(text, 0, kDigit) + 1;
    at += run_of(text, at, kDigit) + 1;
    return at + run_of(text, at, kDigit);
  }
  const auto past = [&](std::size_t at) {
    while (at < text.size() && string_view(" .,-").find(text[at]) != string_view::npos) ++at;
    return at;
  };
  std::size_t at = 0;
  const bool day_first = is(byte_at(text, 0), kDigit);
  for (int i = 0; i < 2; ++i) {
    if ((i == 0) == day_first) {
      const std::size_t digits = run_of(text, at, kDigit);
      if (digits == 0 || digits > 2) return 0;
      at += digits;
      for (const string_view ending : {"st", "nd", "rd", "th"})
        if (text.substr(at).starts_with(ending)) at += 2;
    } else {
      if (!begins_month(text.substr(std::min(at, text.size())))) return 0;
      at += run_of(text, at, kLetter);
    }
    at = past(at);
    if (i == 0 && starts_like(text.substr(std::min(at, text.size())), "of ")) at += 3;
  }
  const std::size_t year = run_of(text, at, kDigit);
  return year == 4 ? at + 4 : 0;
}

// "account number is 6735837464", "acct no. 6735837464", "bank account 6735837464", "sort code 12-34-56"
OptionalMatch find_account(const Spot& spot, string_view word, std::size_t at) {
  const string_view text = spot.ahead;
  bool named = has_context(spot, "bank|banking|checking|savings");
  for (int words = 0; words < 4 && at < text.size(); ++words) {
    while (at < text.size() && string_view(" :.#=-\t\"'").find(text[at]) != string_view::npos) ++at;
    if (is(byte_at(text, at), kDigit)) break;
    const std::size_t length = run_of(text, at, kLetter);
    const string_view next = text.substr(at, length);
    const bool number = same_letters(next, "number") || same_letters(next, "no") || same_letters(next, "num") ||
                        same_letters(next, "nr") || same_letters(next, "code");
    if (!number && !same_letters(next, "is")) return std::nullopt;
    named = named || number;
    at += length;
  }
  const std::size_t length = run_of(text, at, kDigit | kDash);
  const string_view found_text = text.substr(at, length);
  const std::size_t digits = count_of(found_text, kDigit);
  const bool sort = word == "sort" ? digits == 6 && (length == 6 || length == 8) : digits >= 8 && digits <= 17;
  if (!named || !sort || !is(byte_at(text, at), kDigit) || !ends_number(text, at + length)) return std::nullopt;
  return found(kAccount, at, at + length);
}

// "VIN: 1HGCM82633A004352": seventeen, without I, O and Q.
OptionalMatch find_vin(const Spot& spot, std::size_t at) {
  constexpr std::size_t kLength = 17;
  const string_view text = spot.ahead;
  while (at < text.size() && at < 16 && string_view(" :.#=\"'").find(text[at]) != string_view::npos) ++at;
  const string_view token = text.substr(std::min(at, text.size()), kLength);
  if (token.size() < kLength || run_of(text, at, kAlnum) != kLength || !all_of(token, kUpperAlnum)) return std::nullopt;
  if (token.find_first_of("IOQ") != string_view::npos || count_of(token, kDigit) < 5) return std::nullopt;
  return found(kVin, at, at + kLength);
}

// "DL A1234567": a letter and digits right after the two letters.
bool is_short_licence(string_view text) {
  const std::size_t at = 2 + run_of(text, 2, kBlank | kColon);
  const std::size_t digits = run_of(text, at + 1, kDigit);
  return at > 2 && is(byte_at(text, at), kUpper) && digits >= 6 && digits <= 12;
}

}  // namespace

std::span<const Rule* const> announced_rules() { return kAnnouncedRules; }

OptionalMatch find_announced(const Spot& spot) {
  constexpr std::size_t kFar = 40;
  const string_view text = spot.ahead;
  const std::size_t length = run_of(text, 0, kLetter);
  const std::string word = lowered(text.substr(0, std::min<std::size_t>(length, 16)));
  const bool birth = word == "dob" || word == "birth" || word == "birthday" || word == "birthdate" || word == "born" ||
                     word == "geboren" || word == "dateofbirth" || word == "geburtsdatum" || word == "d.o.b";
  const bool passport = word == "passport" || word == "passportnumber";
  bool licence = (word == "license" || word == "licence" || word == "licensenumber") &&
                 has_context(spot, "driver|drivers|driver's|driving|dl");
  if (word == "account" || word == "acct" || word == "sort") return find_account(spot, word, length);
  if (word == "vin" && !is(spot.before(), kName)) return find_vin(spot, length);
  const bool short_licence =
      word == "dl" && !is(spot.before(), kName) && (byte_at(text, 2) == '#' || is_short_licence(text));
  licence = licence || short_licence;
  if (!birth && !passport && !licence) return std::nullopt;
  for (std::size_t at = length; at < text.size() && at < kFar; ++at) {
    const char c = text[at];
    if (is(c, kNewline) || c == ';' || c == '{' || c == '<') return std::nullopt;
    if (!is(c, kAlnum) || is(text[at - 1], kAlnum)) continue;
    if (birth) {
      const std::size_t date = date_length(text.substr(at, 32));
      if (date > 0 && ends_number(text, at + date)) return found(kBirth, at, at + date);
      if (is(c, kDigit)) return std::nullopt;
      continue;
    }
    const std::size_t run = run_of(text, at, kAlnum | (licence ? kDash : Kinds{0}));
    const string_view token = text.substr(at, run);
    const std::size_t digits = count_of(token, kDigit);
    if (digits == 0) continue;
    const bool fits = passport ? run >= 6 && run <= 9 && digits >= 5 : run >= 5 && run <= 20 && digits >= 4;
    if (!fits || any_of(token, kLower)) return std::nullopt;
    return found(passport ? kPassport : kLicence, at, at + run);
  }
  return std::nullopt;
}

}  // namespace pinfold::redaction
