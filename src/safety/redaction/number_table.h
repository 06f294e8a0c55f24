// number_table.h: national numbers, cards and accounts: their forms, checks, and the words in front of them.
// Invariant: a form that many other numbers match needs a word before it; each rule has an example and a
// counter-example. Not here: matching (numbers.cc), the check digits (checks.h).
#pragma once

#include <array>

#include "safety/redaction/checks.h"
#include "safety/redaction/personal.h"

namespace pinfold::redaction::number_table {

using std::string_view;
using enum Group;

inline constexpr Rule kCard{"card", kPersonal, "a payment card: Luhn, issuer, length",
                            "paid with «4111 1111 1111 1111» today", "order 4111 1111 1111 1112"};
inline constexpr Rule kIban{"iban", kPersonal, "a bank account: mod 97, length by country",
                            "IBAN «DE89 3704 0044 0532 0130 00»", "IBAN DE88370400440532013000"};
inline constexpr Rule kSsn{"us-ssn", kPersonal, "US social security", "SSN «536-22-8726»",
                           "000-12-3456 and 987-65-4320"};
inline constexpr Rule kAba{"us-routing", kPersonal, "US bank routing, after a word", "routing number «021000021»",
                           "part 021000021"};
inline constexpr Rule kNpi{"us-npi", kPersonal, "US health provider, after a word", "NPI: «1234567893»",
                           "NPI: 1234567890"};
inline constexpr Rule kNhs{"uk-nhs", kPersonal, "British health number, after a word", "NHS no «943 476 5919»",
                           "NHS no 943 476 5918"};
inline constexpr Rule kNino{"uk-nino", kPersonal, "British insurance number", "NINO «AB 12 34 56 C»", "QQ123456C"};
inline constexpr Rule kAadhaar{"in-aadhaar", kPersonal, "Indian identity number: Verhoeff", "Aadhaar «2341 2341 2346»",
                               "Aadhaar 2341 2341 2345"};
inline constexpr Rule kPesel{"pl-pesel", kPersonal, "Polish identity number", "PESEL «44051401359»",
                             "PESEL 44051401358"};
inline constexpr Rule kNif{"es-nif", kPersonal, "Spanish DNI or NIE", "DNI «12345678Z»", "DNI 12345678A"};
inline constexpr Rule kTfn{"au-tfn", kPersonal, "Australian tax file, after a word", "TFN «123 456 782»",
                           "TFN 123 456 781"};
inline constexpr Rule kAbn{"au-abn", kPersonal, "Australian business number", "ABN «51 824 753 556»",
                           "ABN 51 824 753 557"};
inline constexpr Rule kSin{"ca-sin", kPersonal, "Canadian insurance number, after a word", "SIN «130 692 544»",
                           "SIN 130 692 545"};
inline constexpr Rule kCpf{"br-cpf", kPersonal, "Brazilian person", "CPF «529.982.247-25»", "CPF 529.982.247-26"};
inline constexpr Rule kCnpj{"br-cnpj", kPersonal, "Brazilian company", "CNPJ «11.222.333/0001-81»",
                            "CNPJ 11.222.333/0001-82"};
inline constexpr Rule kBsn{"nl-bsn", kPersonal, "Dutch citizen number, after a word", "BSN «111222333»",
                           "BSN 111222334"};
inline constexpr Rule kPersonnummer{"se-personnummer", kPersonal, "Swedish identity number", "«811228-9874»",
                                    "811228-9875"};
inline constexpr Rule kSteuer{"de-steuer-id", kPersonal, "German tax number, after a word", "Steuer-ID «65929970489»",
                              "Steuer-ID 65929970488"};
inline constexpr Rule kImei{"imei", kPersonal, "a phone's serial number, after the word", "IMEI «490154203237518»",
                            "IMEI 490154203237517"};
inline constexpr Rule kFiscale{"it-fiscale", kPersonal, "Italian codice fiscale", "«RSSMRA85T10A562S»",
                               "RSSMRA85T10A562T"};

inline constexpr Rule kItin{"us-itin", kPersonal, "US taxpayer number", "ITIN «911-70-1234»", "911-89-1234"};
inline constexpr Rule kEin{"us-ein", kPersonal, "US employer number, after a word", "EIN «12-3456789»",
                           "room 12-3456789"};
inline constexpr Rule kDea{"us-dea", kPersonal, "US prescriber, after a word", "DEA «AB1234563»", "DEA AB1234564"};
inline constexpr Rule kMedicare{"au-medicare", kPersonal, "Australian health", "«2123 45670 1»", "2123 25870 1"};
inline constexpr Rule kAcn{"au-acn", kPersonal, "Australian company, after a word", "ACN «004 085 616»",
                           "ACN 004 085 617"};
inline constexpr Rule kHetu{"fi-hetu", kPersonal, "Finnish identity code", "«131052-308T»", "131052-308A"};
inline constexpr Rule kRrn{"kr-rrn", kPersonal, "Korean resident number", "«960121-1021413»", "961321-1021413"};
inline constexpr Rule kNric{"sg-nric", kPersonal, "Singaporean NRIC or FIN", "«S1234567D»", "S1234567A"};
inline constexpr Rule kUen{"sg-uen", kPersonal, "Singaporean company, after the word", "UEN «53125226D»",
                           "code 53125226D"};
inline constexpr Rule kTnin{"th-tnin", kPersonal, "Thai identity number, after a word", "Thai ID «1234567890121»",
                            "Thai ID 1234567890123"};
inline constexpr Rule kItVat{"it-vat", kPersonal, "Italian VAT number, after a word", "P.IVA «01333550323»",
                             "P.IVA 01333550324"};
inline constexpr Rule kDeVat{"de-vat", kPersonal, "German VAT number, after a word", "VAT «DE136695976»",
                             "VAT DE136695977"};
inline constexpr Rule kPps{"ie-pps", kPersonal, "Irish public service number, after a word", "PPS «1234567T»",
                           "PPS 1234567A"};
inline constexpr Rule kFodsel{"no-fodselsnummer", kPersonal, "Norwegian birth number", "«01010750160»", "01010750161"};
inline constexpr Rule kCpr{"dk-cpr", kPersonal, "Danish person number, after the word", "CPR «311299-1234»",
                           "CPR 319999-1234"};
inline constexpr Rule kAhv{"ch-ahv", kPersonal, "Swiss insurance number", "«756.9217.0769.85»", "756.9217.0769.86"};
inline constexpr Rule kInsee{"fr-insee", kPersonal, "French insurance number: mod 97", "«1 85 05 78 006 084 91»",
                             "1 85 05 78 006 084 92"};
inline constexpr Rule kChina{"cn-id", kPersonal, "Chinese identity number", "«11010519491231002X»",
                             "11010519491231002A"};
inline constexpr Rule kSouthAfrica{"za-id", kPersonal, "South African identity number, after a word",
                                   "ID number «8001015009087»", "ID number 8001015009088"};
inline constexpr Rule kTckn{"tr-kimlik", kPersonal, "Turkish identity number, after a word", "TC Kimlik «10000000146»",
                            "TC Kimlik 10000000147"};
inline constexpr Rule kEgn{"bg-egn", kPersonal, "Bulgarian person number, after the word", "EGN «7523169263»",
                           "EGN 7523169264"};
inline constexpr Rule kOib{"hr-oib", kPersonal, "Croatian person number, after the word", "OIB «69435151530»",
                           "OIB 69435151531"};
inline constexpr Rule kJmbg{"rs-jmbg", kPersonal, "person number of Yugoslavia's successors, after the word",
                            "JMBG «0101006500006»", "JMBG 0101006500007"};
inline constexpr Rule kRodne{"cz-rodne-cislo", kPersonal, "Czech or Slovak birth number", "«710319/2745»",
                             "710319/2746"};
inline constexpr Rule kCnp{"ro-cnp", kPersonal, "Romanian person number, after the word", "CNP «1630615123457»",
                           "CNP 1630615123458"};
inline constexpr Rule kPan{"in-pan", kPersonal, "Indian tax number", "«ABCPD1234Z»", "ABCXD1234Z"};
inline constexpr Rule kVoter{"in-voter", kPersonal, "Indian voter card, after a word", "voter id «DBJ2289013»",
                             "part DBJ2289013"};
inline constexpr Rule kVehicle{"in-vehicle", kPersonal, "Indian number plate, after a word", "vehicle «KA53ME3456»",
                               "part KA53ME3456"};
inline constexpr Rule kPlate{"number-plate", kPersonal, "a vehicle's plate, after a word", "licence plate «AB12 CDE»",
                             "part AB12 CDE"};
inline constexpr Rule kRfc{"mx-rfc", kPersonal, "Mexican tax number, after the word", "RFC «GODE561231GR8»",
                           "part GODE561231GR8"};
inline constexpr Rule kTravel{"travel-document", kPersonal,
                              "a passport number that is all of the text, or after a word",
                              "travel document «A12803456»", "part A12803456"};
inline constexpr Rule kCurp{"mx-curp", kPersonal, "Mexican person", "«HEGG560427MVZRRL04»", "HEGG560427MVZRRL05"};

using Check = bool (*)(string_view);

// d: a digit, L: a capital, a: either; ~: nothing, a blank or a dash, the same at each ~; anything else is itself.
struct Format {
  const Rule* rule;
  string_view form;
  Check check;
  ContextWords words;  // one of them must stand in front, or the number alone; empty: none need
};
inline constexpr ContextWords kTax = "tfn|tax file|tax number";
inline constexpr ContextWords kSocial = "ssn|social security|social|ss#|security number";
inline constexpr ContextWords kTaxpayer = "itin|taxpayer|tax id|tax payer";
inline constexpr Format kNumbers[] = {
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
    {&kAbn, "dd ddd ddd ddd", is_abn, ""},
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
    {&kNif, "ddddddd~L", is_nif, "nif|dni|nie|documento"},
    {&kCard, "ddddddddddddddd", is_uatp, "card|uatp|airplus|credit"},
    {&kSsn, "ddd.dd.dddd", is_ssn, kSocial},
    {&kSsn, "ddd-dddddd", is_ssn, kSocial},
    {&kSsn, "ddddd-dddd", is_ssn, kSocial},
    {&kItin, "ddd-dd-dddd", is_itin, ""},
    {&kItin, "ddd~dd~dddd", is_itin, kTaxpayer},
    {&kItin, "ddd-dddddd", is_itin, kTaxpayer},
    {&kItin, "ddddd-dddd", is_itin, kTaxpayer},
    {&kNpi, "dddd~ddd~ddd", is_npi, "npi|provider"},
    {&kEin, "dd-ddddddd", is_ein, "ein|employer|fein|tax id"},
    {&kMedicare, "dddd ddddd d", is_medicare, ""},
    {&kMedicare, "dddd-ddddd-d", is_medicare, ""},
    {&kMedicare, "dddddddddd", is_medicare, "medicare"},
    {&kAcn, "ddd~ddd~ddd", is_acn, "acn|company number"},
    {&kAba, "dddd-dddd-d", is_aba, "routing|aba|rtn|transit"},
    {&kHetu, "ddddddLddda", is_hetu, ""},
    {&kHetu, "dddddd-ddda", is_hetu, ""},
    {&kRrn, "dddddd-ddddddd", is_rrn, ""},
    {&kRrn, "ddddddddddddd", is_rrn_checked, "rrn|korean|resident registration"},
    {&kTnin, "d~dddd~ddddd~dd~d", is_tnin, "thai|tnin|national id"},
    {&kItVat, "ddddddddddd", is_it_vat, "p.iva|p. iva|partita iva|iva|vat"},
    {&kPps, "dddddddL", is_pps, "pps|ppsn"},
    {&kPps, "dddddddLL", is_pps, "pps|ppsn"},
    {&kUen, "ddddddddL", is_any, "uen"},
    {&kUen, "dddddddddL", is_any, "uen"},
    {&kFodsel, "dddddd~ddddd", is_fodselsnummer, ""},
    {&kCpr, "dddddd-dddd", is_cpr, "cpr"},
    {&kAhv, "ddd.dddd.dddd.dd", is_ahv, ""},
    {&kAhv, "ddddddddddddd", is_ahv, "ahv|avs"},
    {&kInsee, "d~dd~dd~dd~ddd~ddd~dd", is_insee, ""},
    {&kChina, "dddddddddddddddddd", is_chinese_id, ""},
    {&kChina, "dddddddddddddddddL", is_chinese_id, ""},
    {&kSouthAfrica, "ddddddddddddd", is_za_id, "id number|id no|south africa|identity number|rsa id"},
    {&kTckn, "ddddddddddd", is_tckn, "kimlik|tckn|tc"},
    {&kEgn, "dddddddddd", is_egn, "egn"},
    {&kOib, "ddddddddddd", is_mod11_10, "oib"},
    {&kJmbg, "ddddddddddddd", is_jmbg, "jmbg|emso|embg"},
    {&kRodne, "dddddd/dddd", is_rodne_cislo, ""},
    {&kCnp, "ddddddddddddd", is_cnp, "cnp"},
};
inline constexpr Format kLettered[] = {
    {&kFiscale, "LLLLLLddLddLdddL", is_codice_fiscale, ""},
    {&kNino, "LL~dd~dd~dd~L", is_nino, ""},
    {&kNif, "L~ddddddd~L", is_nif, ""},
    {&kNino, "LL dddddd~L", is_nino, ""},
    {&kNric, "LdddddddL", is_nric, ""},
    {&kUen, "LddLLddddL", is_any, "uen"},
    {&kDea, "LLddddddd", is_dea, "dea|medical|prescriber|prescription"},
    {&kDeVat, "LL~ddddddddd", is_de_vat, "vat|ust|ustid|mwst|tva"},
    {&kPan, "LLLLLddddL", is_person_pan, ""},
    {&kPan, "LLLLLddddL", is_pan, "pan|permanent account|income tax"},
    {&kVoter, "LLLddddddd", is_any, "voter|epic|vote"},
    {&kVehicle, "LLddLLdddd", is_any, "vehicle|registration|plate"},
    {&kPlate, "LLdd~LLL", is_any, "plate|kennzeichen|vehicle registration|registration number|vrm"},
    {&kPlate, "LLdd~LL~dddd", is_any, "vehicle|registration|plate"},
    {&kPlate, "LLdd~L~dddd", is_any, "vehicle|registration|plate"},
    {&kPlate, "LL-ddd-LL", is_any, "plate|immatriculation|targa|vehicle"},
    {&kPlate, "L-LL dddd", is_any, "kennzeichen|plate"},
    {&kPlate, "L-LL ddd", is_any, "kennzeichen|plate"},
    {&kPlate, "LL-LL dddd", is_any, "kennzeichen|plate"},
    {&kPlate, "LL-LL ddd", is_any, "kennzeichen|plate"},
    {&kRfc, "LLLLddddddaaa", is_any, "rfc"},
    {&kRfc, "LLLddddddaaa", is_any, "rfc"},
    {&kTravel, "Lddddddd", is_travel_document, "travel document|travel doc|reisepass|passeport|pasaporte"},
    {&kTravel, "Ldddddddd", is_travel_document, "travel document|travel doc|reisepass|passeport|pasaporte"},
    {&kCurp, "LLLLddddddLLLLLLad", is_curp, ""},
};

inline constexpr std::array<const Rule*, 52> kNumberRules = {
    &kCard,   &kIban,     &kSsn,   &kAba,     &kNpi,   &kNhs,          &kNino,   &kAadhaar, &kPesel,   &kNif,   &kTfn,
    &kAbn,    &kSin,      &kCpf,   &kCnpj,    &kBsn,   &kPersonnummer, &kSteuer, &kImei,    &kFiscale, &kItin,  &kEin,
    &kDea,    &kMedicare, &kAcn,   &kHetu,    &kRrn,   &kNric,         &kUen,    &kTnin,    &kItVat,   &kDeVat, &kPps,
    &kFodsel, &kCpr,      &kAhv,   &kInsee,   &kChina, &kSouthAfrica,  &kTckn,   &kEgn,     &kOib,     &kJmbg,  &kRodne,
    &kCnp,    &kPan,      &kVoter, &kVehicle, &kCurp,  &kPlate,        &kRfc,    &kTravel};

}  // namespace pinfold::redaction::number_table
