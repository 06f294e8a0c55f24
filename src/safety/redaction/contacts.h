// contacts.h: functions shared by numbers.cc and contacts.cc.
// Not here: the rules (personal.h).
#pragma once

#include <span>
#include <string_view>

#include "safety/redaction/rule.h"

namespace pinfold::redaction {

// No digit, letter or part of a longer number ("1.2", "3-4") is at the position before.
bool ends_number(std::string_view text, std::size_t at);
bool begins_number(const Spot& spot);

// Between groups of hexadecimal digits, as in a dump of bytes; each at least so wide.
bool in_hex_table(const Spot& spot, std::size_t length, std::size_t width);

// "2026-03-01", "14/02/1987", "14.02.1987"
bool is_date(std::string_view text);

// Phones, IPv4 addresses and wallets, at the first digit.
OptionalMatch find_contact_number(const Spot& spot, std::size_t digits);  // which begins with so many

std::span<const Rule* const> number_rules();
std::span<const Rule* const> contact_rules();
std::span<const Rule* const> announced_rules();

}  // namespace pinfold::redaction
