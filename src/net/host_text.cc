// host_text.cc: names and addresses as peers write them, made canonical or refused.
// Invariant: nothing outside [a-z0-9._-] gets into a name, and no number is one.
// Not here: IDNA, rules.
#include "net/host_text.h"

#include <algorithm>
#include <charconv>

#include "base/address.h"

namespace pinfold::net {
namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestLabel = 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// The rule of the URL standard, "ends in a number"; the label is in lower case.
bool is_number(std::string_view label) {
  if (label.starts_with("0x")) return std::all_of(label.begin() + 2, label.end(), is_hex);
  return std::all_of(label.begin(), label.end(), is_digit);
}

enum class Form { kDotted, kColons };
std::optional<HostText> host_address(std::string_view text, Form form) {
  if ((text.find(':') != std::string_view::npos) != (form == Form::kColons)) return std::nullopt;
  const auto address = parse_address(text);
  if (!address) return std::nullopt;
  return HostText{address->family == Family::kV4 ? HostText::Kind::kIpv4 : HostText::Kind::kIpv6,
                  print_address(*address)};
}

std::optional<std::uint16_t> parse_port(std::string_view digits) {
  std::uint16_t port = 0;
  if (digits.empty() || digits.front() == '0') return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return port;
}

}  // namespace

std::optional<std::string> canonical_wire_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > kLongestName) return std::nullopt;
  std::string name;
  name.reserve(text.size());
  std::size_t label = 0;  // where the current one starts
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '.') {
      if (name.size() == label) return std::nullopt;
      label = name.size() + 1;
    } else if ((!is_digit(c) && (c < 'a' || c > 'z') && c != '-' && c != '_') || name.size() - label == kLongestLabel) {
      return std::nullopt;
    }
    name += c;
  }
  const std::string_view last = std::string_view(name).substr(label);
  if (last.empty() || is_number(last)) return std::nullopt;
  return name;
}

std::optional<HostText> parse_host(std::string_view text) {
  if (auto address = host_address(text, Form::kDotted)) return address;
  if (auto name = canonical_wire_name(text)) return HostText{HostText::Kind::kName, std::move(*name)};
  return std::nullopt;
}

std::optional<HostPort> parse_host_port(std::string_view text) {
  const bool bracketed = text.starts_with('[');
  const std::size_t end = bracketed ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return std::nullopt;
  const auto host = bracketed ? host_address(text.substr(1, end - 1), Form::kColons) : parse_host(text.substr(0, end));
  if (!host) return std::nullopt;
  const std::string_view rest = text.substr(bracketed ? end + 1 : end);
  if (rest.empty()) return HostPort{*host, std::nullopt};
  if (rest.front() != ':') return std::nullopt;
  const auto port = parse_port(rest.substr(1));
  if (!port) return std::nullopt;
  return HostPort{*host, port};
}

}  // namespace pinfold::net
