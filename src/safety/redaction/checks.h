// checks.h: check digits of national numbers, cards and accounts.
// Invariant: each function takes the digits (or letters) without separators and returns whether they are valid.
// Not here: finding such numbers in a text (numbers.cc).
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
// checks_abroad.cc
bool is_any(std::string_view text);              // no check digit is published
bool is_uatp(std::string_view digits);           // travel card: 1…, Luhn
bool is_itin(std::string_view digits);           // US taxpayer: 9xx, and its groups
bool is_ein(std::string_view digits);            // US employer: the prefix
bool is_dea(std::string_view text);              // US prescriber
bool is_medicare(std::string_view digits);       // Australian health
bool is_acn(std::string_view digits);            // Australian company
bool is_hetu(std::string_view text);             // Finnish, with a date; the sign may be missing
bool is_rrn(std::string_view digits);            // Korean: date and century; no check digit since 2020
bool is_rrn_checked(std::string_view digits);    // with the check digit
bool is_nric(std::string_view text);             // Singaporean
bool is_tnin(std::string_view digits);           // Thai
bool is_it_vat(std::string_view digits);         // Italian company
bool is_de_vat(std::string_view text);           // German company
bool is_pps(std::string_view text);              // Irish
bool is_fodselsnummer(std::string_view digits);  // Norwegian, with a date
bool is_cpr(std::string_view digits);            // Danish: a date
bool is_ahv(std::string_view digits);            // Swiss
bool is_insee(std::string_view digits);          // French
bool is_chinese_id(std::string_view text);       // with a date
bool is_za_id(std::string_view digits);          // South African, with a date
bool is_tckn(std::string_view digits);           // Turkish
bool is_egn(std::string_view digits);            // Bulgarian, with a date
bool is_mod11_10(std::string_view digits);       // Croatian, and parts of others: ISO 7064
bool is_jmbg(std::string_view digits);           // Yugoslavia's successors
bool is_rodne_cislo(std::string_view digits);    // Czech and Slovak, with a date
bool is_cnp(std::string_view digits);            // Romanian, with a date
bool is_travel_document(std::string_view text);  // a letter and digits that are not counted out
bool is_pan(std::string_view text);              // Indian tax
bool is_person_pan(std::string_view text);       // of a person
bool is_curp(std::string_view text);             // Mexican, with a date
bool is_base58check(std::string_view text);      // Bitcoin and its kin
bool is_bech32(std::string_view text);           // bc1…, tb1…

}  // namespace pinfold::redaction
