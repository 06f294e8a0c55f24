// checks.h: the check digits of the world.
// Invariant: each takes the digits (or letters) alone, without separators, and says whether they can be real.
// Not here: where such numbers stand in a text (numbers.cc).
#pragma once

#include <string_view>

namespace pinfold::redaction {

bool luhn(std::string_view digits);
bool is_card(std::string_view digits);          // Luhn, an issuer's beginning, and its length
bool is_iban(std::string_view text);            // mod 97, and the country's length
bool is_ssn(std::string_view digits);           // no 000, 666, 9xx; no 00; no 0000
bool is_aba(std::string_view digits);           // US routing number
bool is_npi(std::string_view digits);           // US provider
bool is_nhs(std::string_view digits);           // British health
bool is_aadhaar(std::string_view digits);       // Indian, Verhoeff
bool is_pesel(std::string_view digits);         // Polish, with a date
bool is_nif(std::string_view text);             // Spanish DNI and NIE
bool is_tfn(std::string_view digits);           // Australian tax file
bool is_abn(std::string_view digits);           // Australian business
bool is_sin(std::string_view digits);           // Canadian
bool is_cpf(std::string_view digits);           // Brazilian person
bool is_cnpj(std::string_view digits);          // Brazilian company
bool is_bsn(std::string_view digits);           // Dutch
bool is_personnummer(std::string_view digits);  // Swedish, with a date
bool is_steuer_id(std::string_view digits);     // German
bool is_codice_fiscale(std::string_view text);  // Italian
bool is_nino(std::string_view text);            // British insurance
bool is_base58check(std::string_view text);     // Bitcoin and its kin
bool is_bech32(std::string_view text);          // bc1…, tb1…

}  // namespace pinfold::redaction
