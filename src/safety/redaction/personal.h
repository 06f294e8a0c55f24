// personal.h: numbers and addresses of people.
// Invariant: what has a check digit is checked; what has none needs a form of its own or a word in front.
// Not here: names of people and streets: they are not promised. The check digits (checks.h).
#pragma once

#include <array>

#include "safety/redaction/chars.h"
#include "safety/redaction/rule.h"

namespace pinfold::redaction {

Found find_number(const Spot& spot);       // at the first digit: cards, national numbers, phones, IPv4, wallets
Found find_lettered(const Spot& spot);     // at the first capital: IBAN, codice fiscale, NIE, NINO
Found find_plus_phone(const Spot& spot);   // at the "+" of "+44 20 …", the "(" of "(415) 555-…"
Found find_email(const Spot& spot);        // at the "@"
Found find_colons(const Spot& spot);       // at the first ":" of an IPv6 or MAC address
Found find_dashed_mac(const Spot& spot);   // at the first "-" of "00-1A-…"
Found find_dotted_mac(const Spot& spot);   // at the first "." of "001a.2b3c.4d5e"
Found find_coin_wallet(const Spot& spot);  // at the first letter of "LaMT…", "DH5y…"
Found find_bech32(const Spot& spot);       // at the "b" of "bc1…"
Found find_announced(const Spot& spot);    // at the first letter of "born", "dob", "passport", "licence"

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

// Whether one of them stands shortly before the place.
bool has_context(const Spot& spot, const ContextWords& words);

}  // namespace pinfold::redaction
