// dns_question.cc: searches for a DNS header with one question: labels, type A or AAAA, class IN.
#include "base/dns_question.h"

#include <cstddef>
#include <cstdint>

namespace pinfold {
namespace {

constexpr std::size_t kDnsHeader = 12;
constexpr std::size_t kMostOfName = 253;
constexpr std::size_t kMostOfLabel = 63;

unsigned byte(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }
unsigned word(std::string_view bytes, std::size_t at) { return byte(bytes, at) << 8U | byte(bytes, at + 1); }

// A standard query with recursion desired, one question, and no record except at most one additional (EDNS).
bool is_header(std::string_view bytes, std::size_t at) {
  constexpr unsigned kFlagsThatVary = 0x0030;  // authentic data, checking disabled
  return bytes.size() - at >= kDnsHeader && (word(bytes, at + 2) & ~kFlagsThatVary) == 0x0100 &&
         word(bytes, at + 4) == 1 && word(bytes, at + 6) == 0 && word(bytes, at + 8) == 0 && word(bytes, at + 10) <= 1;
}

char in_lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_in_host_names(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

// The name whose labels begin at `at`, if the type behind it is A or AAAA.
std::optional<std::string> name_at(std::string_view bytes, std::size_t at) {
  std::string name;
  while (at < bytes.size()) {
    const std::size_t length = byte(bytes, at++);
    if (length == 0) {
      const bool whole = bytes.size() - at >= 4;
      const unsigned type = whole ? word(bytes, at) : 0;
      const bool asks = (type == 1 || type == 28) && word(bytes, at + 2) == 1;
      return asks && !name.empty() ? std::optional(name) : std::nullopt;
    }
    if (length > kMostOfLabel || bytes.size() - at < length || name.size() + length + 1 > kMostOfName) break;
    if (!name.empty()) name += '.';
    for (const char c : bytes.substr(at, length)) {
      if (!is_in_host_names(in_lower_case(c))) return std::nullopt;
      name += in_lower_case(c);
    }
    at += length;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_dns_question(std::string_view bytes) {
  for (std::size_t at = 0; at + kDnsHeader < bytes.size(); ++at)
    if (is_header(bytes, at))
      if (auto name = name_at(bytes, at + kDnsHeader)) return name;
  return std::nullopt;
}

}  // namespace pinfold
