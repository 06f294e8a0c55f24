// numbers.cc: national numbers, cards and accounts, by form, check digits and words in front.
// Invariant: a number that is a part of a longer one is not looked at.
// Not here: phones, addresses of machines and mail (contacts.cc).
#include <array>

#include "safety/redaction/chars.h"
#include "safety/redaction/checks.h"
#include "safety/redaction/contacts.h"
#include "safety/redaction/personal.h"

namespace pinfold::redaction {
namespace {

using std::string_view;
using enum Group;

constexpr Rule kCard{"card", kPersonal, "a payment card: Luhn, issuer, length", "paid with «4111 1111 1111 1111» today",
                     "order 4111 1111 1111 1112"};
constexpr Rule kIban{"iban", kPersonal, "a bank account: mod 97, length by country",
                     "IBAN «DE89 3704 0044 0532 0130 00»", "IBAN DE88370400440532013000"};
constexpr Rule kSsn{"us-ssn", kPersonal, "US social security", "SSN «536-22-8726»", "000-12-3456 and 987-65-4320"};
constexpr Rule kAba{"us-routing", kPersonal, "US bank routing, after a word", "routing number «021000021»",
                    "part 021000021"};
constexpr Rule kNpi{"us-npi", kPersonal, "US health provider, after a word", "NPI: «1234567893»", "NPI: 1234567890"};
constexpr Rule kNhs{"uk-nhs", kPersonal, "British health number, after a word", "NHS no «943 476 5919»",
                    "NHS no 943 476 5918"};
constexpr Rule kNino{"uk-nino", kPersonal, "British insurance number", "NINO «AB 12 34 56 C»", "QQ123456C"};
constexpr Rule kAadhaar{"in-aadhaar", kPersonal, "Indian identity number: Verhoeff", "Aadhaar «2341 2341 2346»",
                        "Aadhaar 2341 2341 2345"};
constexpr Rule kPesel{"pl-pesel", kPersonal, "Polish identity number", "PESEL «44051401359»", "PESEL 44051401358"};
constexpr Rule kNif{"es-nif", kPersonal, "Spanish DNI or NIE", "DNI «12345678Z»", "DNI 12345678A"};
constexpr Rule kTfn{"au-tfn", kPersonal, "Australian tax file, after a word", "TFN «123 456 782»", "TFN 123 456 781"};
constexpr Rule kAbn{"au-abn", kPersonal, "Australian business number", "ABN «51 824 753 556»", "ABN 51 824 753 557"};
constexpr Rule kSin{"ca-sin", kPersonal, "Canadian insurance number, after a word", "SIN «130 692 544»",
                    "SIN 130 692 545"};
constexpr Rule kCpf{"br-cpf", kPersonal, "Brazilian person", "CPF «529.982.247-25»", "CPF 529.982.247-26"};
constexpr Rule kCnpj{"br-cnpj", kPersonal, "Brazilian company", "CNPJ «11.222.333/0001-81»", "CNPJ 11.222.333/0001-82"};
constexpr Rule kBsn{"nl-bsn", kPersonal, "Dutch citizen number, after a word", "BSN «111222333»", "BSN 111222334"};
constexpr Rule kPersonnummer{"se-personnummer", kPersonal, "Swedish identity number", "«811228-9874»", "811228-9875"};
constexpr Rule kSteuer{"de-steuer-id", kPersonal, "German tax number, after a word", "Steuer-ID «65929970489»",
                       "Steuer-ID 65929970488"};
constexpr Rule kImei{"imei", kPersonal, "a phone's serial number, after the word", "IMEI «490154203237518»",
                     "IMEI 490154203237517"};
constexpr Rule kFiscale{"it-fiscale", kPersonal, "Italian codice fiscale", "«RSSMRA85T10A562S»", "RSSMRA85T10A562T"};

using Check = bool (*)(string_view);

// d: a digit, L: a capital, a: either; ~: nothing, a blank or a dash, the same at each ~; anything else is itself.
struct Format {
  const Rule* rule;
  string_view form;
  Check check;
  ContextWords words;  // one of them must stand in front; empty: none need
};
constexpr ContextWords kTax = "tfn|tax file|tax number";
constexpr Format kNumbers[] = {
    {&kCard, "dddd~dddd~dddd~dddd", is_card, ""},
    {&kCard, "dddd~dddddd~ddddd", is_card, ""},
    {&kCard, "dddd~dddddd~dddd", is_card, ""},
    {&kCard, "ddddddddddddd", is_card, "card|visa|cc|pan|credit"},
    {&kCard, "ddddddddddddddddddd", is_card, ""},
    {&kCard, "dddd~dddd~dddd~dddd~ddd", is_card, ""},
    {&kImei, "ddddddddddddddd", luhn, "imei"},
    {&kCnpj, "dd.ddd.ddd/dddd-dd", is_cnpj, ""},
    {&kCnpj, "dddddddddddddd", is_cnpj, "cnpj"},
    {&kCpf, "ddd.ddd.ddd-dd", is_cpf, ""},
    {&kCpf, "ddddddddddd", is_cpf, "cpf"},
    {&kSteuer, "dd~ddd~ddd~ddd", is_steuer_id, "steuer|idnr|tin|tax id|tax"},
    {&kAbn, "dd~ddd~ddd~ddd", is_abn, "abn|business number"},
    {&kPesel, "ddddddddddd", is_pesel, ""},
    {&kAadhaar, "dddd dddd dddd", is_aadhaar, ""},
    {&kAadhaar, "dddd-dddd-dddd", is_aadhaar, ""},
    {&kAadhaar, "dddddddddddd", is_aadhaar, "aadhaar|aadhar|uidai|uid"},
    {&kPersonnummer, "dddddd-dddd", is_personnummer, ""},
    {&kPersonnummer, "dddddddd-dddd", is_personnummer, ""},
    {&kPersonnummer, "dddddddddddd", is_personnummer, "personnummer|personal number"},
    {&kPersonnummer, "dddddddddd", is_personnummer, "personnummer"},
    {&kNhs, "ddd~ddd~dddd", is_nhs, "nhs|health|patient"},
    {&kNpi, "dddddddddd", is_npi, "npi|provider"},
    {&kSsn, "ddd-dd-dddd", is_ssn, ""},
    {&kSsn, "ddd dd dddd", is_ssn, "ssn|social|social security|security number"},
    {&kTfn, "ddd~ddd~ddd", is_tfn, kTax},
    {&kSin, "ddd~ddd~ddd", is_sin, "sin|social insurance|insurance number"},
    {&kBsn, "ddd~ddd~ddd", is_bsn, "bsn|burgerservice|sofi"},
    {&kBsn, "dddd.dd.ddd", is_bsn, "bsn|burgerservice"},
    {&kSsn, "ddddddddd", is_ssn, "ssn|social security|social|ss#"},
    {&kAba, "ddddddddd", is_aba, "routing|aba|rtn|transit|aba#"},
    {&kNif, "dddddddd~L", is_nif, ""},
};
constexpr Format kLettered[] = {
    {&kFiscale, "LLLLLLddLddLdddL", is_codice_fiscale, ""},
    {&kNino, "LL~dd~dd~dd~L", is_nino, ""},
    {&kNif, "L~ddddddd~L", is_nif, ""},
};

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
    if (want == 'd' || want == 'L') {
      if (!is(c, want == 'd' ? kDigit : kUpper)) return 0;
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

// For each number of first digits, which of kNumbers can fit, as a set.
constexpr std::array<std::uint32_t, 20> kFitting = [] {
  static_assert(std::size(kNumbers) <= 32);
  std::array<std::uint32_t, 20> out{};
  for (std::size_t digits = 0; digits < out.size(); ++digits)
    for (std::size_t i = 0; i < std::size(kNumbers); ++i)
      if (may_begin(kNumbers[i].form, digits)) out[digits] |= std::uint32_t{1} << i;
  return out;
}();

Found match_any(const Spot& spot, std::span<const Format> formats, std::uint32_t fitting) {
  std::array<char, 40> gathered{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if ((fitting >> i & 1U) == 0) continue;
    const Format& one = formats[i];
    const std::size_t length = match_form(spot.ahead, one.form, gathered, count);
    if (length == 0 || !ends_number(spot.ahead, length)) continue;
    if (!one.check({gathered.data(), count})) continue;
    if (!one.words.empty() && !has_context(spot, one.words)) continue;
    if (one.form.find(' ') != string_view::npos && in_hex_table(spot, length, 4)) continue;
    return found(*one.rule, 0, length);
  }
  return std::nullopt;
}

// Groups of four, or none.
Found find_iban(const Spot& spot) {
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

constexpr std::array<const Rule*, 19> kNumberRules = {
    &kCard, &kIban, &kSsn, &kAba, &kNpi,  &kNhs, &kNino,         &kAadhaar, &kPesel,  &kNif,
    &kTfn,  &kAbn,  &kSin, &kCpf, &kCnpj, &kBsn, &kPersonnummer, &kSteuer,  &kFiscale};

}  // namespace

std::span<const Rule* const> number_rules() { return kNumberRules; }

bool has_context(const Spot& spot, const ContextWords& wanted) {
  constexpr std::size_t kFar = 40;
  const string_view near = spot.behind.substr(spot.behind.size() - std::min(spot.behind.size(), kFar));
  for (std::size_t at = near.size() < spot.behind.size() ? 1 : 0; at < near.size(); ++at) {
    if ((wanted.first >> (static_cast<unsigned char>(near[at]) & 31U) & 1U) == 0 ||
        (at > 0 && is(near[at - 1], kLetter)))
      continue;
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

Found find_number(const Spot& spot) {
  if (is_date(spot.ahead)) return std::nullopt;
  const std::size_t digits = run_of(spot.ahead, 0, kDigit);
  if (digits >= 2 && digits <= 19 && begins_number(spot))
    if (Found number = match_any(spot, kNumbers, kFitting[digits])) return number;
  return find_contact_number(spot, digits);
}

Found find_lettered(const Spot& spot) {
  if (!begins_number(spot)) return std::nullopt;
  if (Found iban = find_iban(spot)) return iban;
  return match_any(spot, kLettered, 0xFFFFFFFF);
}

}  // namespace pinfold::redaction
