// personal.h: numbers and addresses of people.
// Invariant: check digits are verified; a number without one needs a distinctive form or a word before it.
// Not here: names of people and streets, which are not redacted. The check digits (checks.h).
#pragma once

#include <array>

#include "safety/redaction/chars.h"
#include "safety/redaction/rule.h"

namespace pinfold::redaction {

OptionalMatch find_number(const Spot& spot);       // at the first digit: cards, national numbers, phones, IPv4, wallets
OptionalMatch find_lettered(const Spot& spot);     // at the first capital: IBAN, codice fiscale, NIE, NINO
OptionalMatch find_plus_phone(const Spot& spot);   // at the "+" of "+44 20 …", the "(" of "(415) 555-…"
OptionalMatch find_email(const Spot& spot);        // at the "@"
OptionalMatch find_colons(const Spot& spot);       // at the first ":" of an IPv6 or MAC address
OptionalMatch find_dashed_mac(const Spot& spot);   // at the first "-" of "00-1A-…"
OptionalMatch find_dotted_mac(const Spot& spot);   // at the first "." of "001a.2b3c.4d5e"
OptionalMatch find_coin_wallet(const Spot& spot);  // at the first letter of "LaMT…", "DH5y…"
OptionalMatch find_bech32(const Spot& spot);       // at the "b" of "bc1…"
OptionalMatch find_announced(const Spot& spot);    // at the first letter of "born", "dob", "passport", "licence"

// "tel|phone|mobile", and which two letters they begin with.
struct ContextWords {
  std::string_view text;
  std::array<std::uint32_t, 32> pairs{};  // for each first letter, a set of second ones

  // NOLINTNEXTLINE(google-explicit-constructor): the tables write the words
  consteval ContextWords(const char* words) : text(words) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (i == 0 || text[i - 1] == '|') pairs[five_bits(text[i])] |= std::uint32_t{1} << five_bits(text[i + 1]);
  }
  bool may_begin(char first, char second) const { return (pairs[five_bits(first)] >> five_bits(second) & 1U) != 0; }
  bool empty() const { return text.empty(); }
};

// Whether one of the words is shortly before the position.
bool has_context(const Spot& spot, const ContextWords& words);

}  // namespace pinfold::redaction
