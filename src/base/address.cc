// address.cc: IP addresses and prefixes as text.
// Invariant: strict: no octal, no hexadecimal IPv4, no short forms, no zone, no blank.
// Not here: which addresses may be granted (domain.cc).
#include "base/address.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text.h"

namespace pinfold {
namespace {

using std::string_view;
using text::shown;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A decimal number without a leading zero.
std::optional<unsigned> number(string_view text, unsigned most) {
  if (text.empty() || text.size() > 5 || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  unsigned value = 0;
  for (const char c : text) value = value * 10 + static_cast<unsigned>(c - '0');
  if (value > most) return std::nullopt;
  return value;
}

std::optional<std::array<std::uint8_t, 4>> parse_v4(string_view text) {
  std::array<std::uint8_t, 4> out{};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t dot = text.find('.');
    if ((dot == string_view::npos) != (i == 3)) return std::nullopt;
    const auto value = number(text.substr(0, dot), 255);
    if (!value) return std::nullopt;
    out[i] = static_cast<std::uint8_t>(*value);
    text.remove_prefix(i == 3 ? text.size() : dot + 1);
  }
  return out;
}

std::optional<unsigned> hex(string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
    if (!is_digit(lower) && !(lower >= 'a' && lower <= 'f')) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(is_digit(lower) ? lower - '0' : lower - 'a' + 10);
  }
  return value;
}

// Groups between single colons; the very last may be an IPv4 address.
enum class Tail { kMayBeV4, kHexOnly };
bool groups(string_view text, Tail tail, std::vector<unsigned>& out) {
  if (text.empty()) return true;
  while (true) {
    const std::size_t colon = text.find(':');
    const string_view one = text.substr(0, colon);
    if (const auto value = hex(one)) {
      out.push_back(*value);
    } else {
      const auto v4 = colon == string_view::npos && tail == Tail::kMayBeV4 ? parse_v4(one) : std::nullopt;
      if (!v4) return false;
      out.push_back(static_cast<unsigned>((*v4)[0]) << 8U | (*v4)[1]);
      out.push_back(static_cast<unsigned>((*v4)[2]) << 8U | (*v4)[3]);
    }
    if (out.size() > 8) return false;
    if (colon == string_view::npos) return true;
    text.remove_prefix(colon + 1);
  }
}

std::optional<std::array<std::uint8_t, 16>> parse_v6(string_view text) {
  std::vector<unsigned> head, tail;
  const std::size_t gap = text.find("::");
  if (gap == string_view::npos) {
    if (!groups(text, Tail::kMayBeV4, head) || head.size() != 8) return std::nullopt;
  } else {
    // "::" must replace at least one group, or the same address would have two spellings.
    if (!groups(text.substr(0, gap), Tail::kHexOnly, head) || !groups(text.substr(gap + 2), Tail::kMayBeV4, tail) ||
        head.size() + tail.size() > 7)
      return std::nullopt;
  }
  std::array<std::uint8_t, 16> out{};
  const auto put = [&](std::size_t index, unsigned value) {
    out[2 * index] = static_cast<std::uint8_t>(value >> 8U);
    out[2 * index + 1] = static_cast<std::uint8_t>(value & 0xFFU);
  };
  for (std::size_t i = 0; i < head.size(); ++i) put(i, head[i]);
  for (std::size_t i = 0; i < tail.size(); ++i) put(8 - tail.size() + i, tail[i]);
  return out;
}

constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
IpAddress v4_of(const std::uint8_t* bytes) {
  IpAddress out;
  std::copy_n(bytes, 4, out.bytes.begin());
  return out;
}

std::string print_v6(const std::array<std::uint8_t, 16>& bytes) {
  std::array<unsigned, 8> all{};
  for (std::size_t i = 0; i < 8; ++i) all[i] = static_cast<unsigned>(bytes[2 * i]) << 8U | bytes[2 * i + 1];
  // RFC 5952: the longest run of zeros, the first of equals, and never a single one.
  std::size_t from = 8, length = 1;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t end = i;
    while (end < 8 && all[end] == 0) ++end;
    if (end - i > length) {
      from = i;
      length = end - i;
    }
  }
  constexpr string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == from) {
      out += "::";
      i += length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    bool begun = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
      const unsigned digit = (all[i] >> static_cast<unsigned>(shift)) & 15U;
      begun = begun || digit != 0 || shift == 0;
      if (begun) out += kDigits[digit];
    }
  }
  return out;
}

IpAddress cut(IpAddress address, int bits) {
  for (std::size_t i = 0; i < address.bytes.size(); ++i) {
    const int left = bits - static_cast<int>(8 * i);
    if (left >= 8) continue;
    const unsigned mask = left <= 0 ? 0U : 0xFFU << static_cast<unsigned>(8 - left);
    address.bytes[i] = static_cast<std::uint8_t>(address.bytes[i] & mask);
  }
  return address;
}

}  // namespace

int whole(Family family) { return family == Family::kV4 ? 32 : 128; }

IpAddress unmapped(const IpAddress& address) {
  if (address.family != Family::kV6 || !std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin()))
    return address;
  return v4_of(address.bytes.data() + kMapped.size());
}

Result<IpAddress> parse_address(string_view text) {
  if (const auto v4 = parse_v4(text)) return v4_of(v4->data());
  if (text.find('%') != string_view::npos)
    return fail(ErrorKind::kInvalid, "\"" + shown(text) + "\" names a network interface (%)",
                "leave out % and what follows");
  if (const auto v6 = parse_v6(text)) return unmapped({Family::kV6, *v6});
  return fail(ErrorKind::kInvalid, "\"" + shown(text) + "\" is not an address",
              "write four numbers, such as 10.1.2.3, or IPv6, such as 2001:db8::1");
}

std::string print_address(const IpAddress& address) {
  if (address.family == Family::kV6) return print_v6(address.bytes);
  std::string out;
  for (std::size_t i = 0; i < 4; ++i) out += (i == 0 ? "" : ".") + std::to_string(address.bytes[i]);
  return out;
}

Result<Prefix> parse_prefix(string_view text) {
  const std::size_t slash = text.find('/');
  auto address = parse_address(text.substr(0, slash));
  if (!address) return tl::unexpected<Error>(std::move(address).error());
  Prefix out{*address, whole(address->family)};
  if (slash == string_view::npos) return out;
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
  const bool mapped = out.address.family == Family::kV4 && text.substr(0, slash).find(':') != string_view::npos;
  const auto bits = number(text.substr(slash + 1), mapped ? 128U : static_cast<unsigned>(out.bits));
  if (!bits)
    return fail(ErrorKind::kInvalid, "\"" + shown(text.substr(slash)) + "\" is not the length of a prefix",
                "use /0 to /" + std::to_string(mapped ? 128 : out.bits));
  out.bits = static_cast<int>(*bits) - (mapped ? 96 : 0);
  if (out.bits < 0)
    return fail(ErrorKind::kInvalid, "\"" + shown(text) + "\" is more than all of IPv4", "write the range as IPv4");
  const Prefix cleaned{cut(out.address, out.bits), out.bits};
  if (cleaned.address != out.address)
    return fail(ErrorKind::kInvalid, "\"" + shown(text) + "\" has bits behind its prefix",
                "did you mean " + print_prefix(cleaned) + ", or " + print_address(out.address) + " alone?");
  return out;
}

std::string print_prefix(const Prefix& prefix) {
  const std::string address = print_address(prefix.address);
  return prefix.bits == whole(prefix.address.family) ? address : address + "/" + std::to_string(prefix.bits);
}

bool covers(const Prefix& prefix, const IpAddress& address) {
  return prefix.address.family == address.family && cut(address, prefix.bits) == cut(prefix.address, prefix.bits);
}
bool covers(const Prefix& outer, const Prefix& inner) {
  return outer.bits <= inner.bits && covers(outer, inner.address);
}
bool overlap(const Prefix& a, const Prefix& b) { return covers(a, b) || covers(b, a); }

bool is_localhost(const IpAddress& address) {
  static const IpAddress kV4{Family::kV4, {127, 0, 0, 1}};
  static const IpAddress kV6{Family::kV6, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  return address == kV4 || address == kV6;
}

}  // namespace pinfold
