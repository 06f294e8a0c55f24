// domain.cc: names and rules as text.
// Invariant: text that is not exactly one canonical rule is refused, with the position and the correct spelling.
// Not here: deciding (domain_decide.cc).
#include "base/domain.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/address.h"
#include "base/idna.h"
#include "base/text.h"
#include "base/try.h"

namespace pinfold {
namespace {

using std::string_view;
using text::shown;

constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestName = 253;
// Bytes of a name that is too long which an error quotes.
constexpr std::size_t kQuoted = 80;
constexpr string_view kLocalhost = "localhost";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string quoted(string_view text) {
  return "\"" + shown(text.substr(0, kQuoted)) + (text.size() > kQuoted ? "…\"" : "\"");
}
tl::unexpected<Error> bad(string_view text, std::string what, std::string fix) {
  return fail(ErrorKind::kInvalid, quoted(text) + ": " + std::move(what), std::move(fix));
}
std::string at(std::size_t position) { return " at character " + std::to_string(position + 1); }

// "7", "0x7f", "0x": a name with such a last label is an address to some programs.
bool is_number(string_view label) {
  if (std::all_of(label.begin(), label.end(), is_digit)) return true;
  if (!label.starts_with("0x")) return false;
  label.remove_prefix(2);
  return std::all_of(label.begin(), label.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

// One label of `whole`; `position` is its offset there.
Result<std::string> canonical_label(string_view label, string_view whole, std::size_t position) {
  if (label.empty()) return bad(whole, "there is nothing between two dots" + at(position), "check the name");
  std::string out;
  const bool ascii = std::all_of(label.begin(), label.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  if (!ascii) {
    auto made = idna::to_ascii(label);
    if (!made) return bad(whole, "the label" + at(position) + ": " + made.error().text(), made.error().fix());
    out = std::move(*made);
  } else {
    for (const char c : label) out += lower(c);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!is_lower(out[i]) && !is_digit(out[i]) && out[i] != '-' && out[i] != '_')
        return bad(whole, "\"" + shown(out.substr(i, 1)) + "\"" + at(position + i) + " cannot be in a name",
                   "use letters, digits, - and dots");
    if (out.front() == '-' || out.back() == '-')
      return bad(whole, "a label begins or ends with -" + at(position), "check the name");
    if (out.starts_with("xn--")) {
      const auto good = idna::check_ascii(out);
      if (!good) return bad(whole, "the label" + at(position) + ": " + good.error().text(), good.error().fix());
    }
  }
  if (out.size() > kLongestLabel)
    return bad(whole, "the label" + at(position) + " is longer than 63 bytes", "no name can have it; check the name");
  return out;
}

struct HostAndPort {
  std::string_view host;
  std::optional<std::string_view> port;
};

// "[fd00::1]:22", "fd00::1", "10.0.0.0/8:22", "example.org:22" → host and port.
Result<HostAndPort> split_port(string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == string_view::npos) return bad(text, "the bracket is not closed", "write [2001:db8::1]:443");
    const string_view rest = text.substr(end + 1);
    if (!rest.empty() && rest[0] != ':')
      return bad(text, "something follows the bracket" + at(end + 1), "write [2001:db8::1]:443, or [fd00::/8]:443");
    const string_view inside = text.substr(1, end - 1);
    if (inside.find(':') == string_view::npos)
      return bad(text, "brackets are for IPv6 addresses", "leave out the brackets");
    if (rest.empty()) return HostAndPort{inside, std::nullopt};
    return HostAndPort{inside, rest.substr(1)};
  }
  const std::size_t last = text.rfind(':');
  if (last == string_view::npos) return HostAndPort{text, std::nullopt};
  const std::size_t slash = text.find('/');
  // A colon before a slash, or more than one colon, belongs to an IPv6 address.
  const bool v6 =
      text.substr(0, slash).find(':') != string_view::npos && (slash != string_view::npos || text.find(':') != last);
  if (v6 && (slash == string_view::npos || last < slash)) return HostAndPort{text, std::nullopt};
  return HostAndPort{text.substr(0, last), text.substr(last + 1)};
}

Result<std::uint16_t> parse_port(string_view text, string_view whole) {
  if (text == "*") return bad(whole, "there is no rule for every port", "name each port, or use --net full");
  unsigned value = 0;
  const bool digits =
      !text.empty() && text.size() <= 5 && text[0] != '0' && std::all_of(text.begin(), text.end(), is_digit);
  if (digits)
    for (const char c : text) value = value * 10 + static_cast<unsigned>(c - '0');
  if (!digits || value > 65535)
    return bad(whole, "\"" + shown(text) + "\" is not a port", "use a number from 1 to 65535, such as :443");
  return static_cast<std::uint16_t>(value);
}

struct ReservedRange {
  string_view range;
  string_view what;
  string_view fix;
};
// Addresses that no rule can grant: one range has the addresses that the sandbox assigns to names; the others mean the
// sandbox itself or many hosts.
constexpr auto kReservedRanges = std::to_array<ReservedRange>(
    {{"127.0.0.0/8", "the host's loopback", "write localhost:PORT for a service of the host"},
     {"0.0.0.0/8", "addresses that mean this host", "write localhost:PORT for a service of the host"},
     {"::/16", "addresses that mean this host", "write localhost:PORT for a service of the host, and IPv4 as IPv4"},
     {kMadeUpAddresses, "addresses that the sandbox gives to names", "grant the name instead"},
     {"224.0.0.0/3", "multicast and reserved addresses", "name the hosts one by one"},
     {"ff00::/8", "multicast addresses", "name the hosts one by one"}});

Result<void> may_be_granted(const Prefix& prefix, string_view whole) {
  if (prefix.bits == 0) return bad(whole, "that is every address", "use --net full");
  for (const ReservedRange& one : kReservedRanges)
    if (overlap(*parse_prefix(one.range), prefix))
      return bad(whole, "no rule can grant " + std::string(one.what), std::string(one.fix));
  return {};
}

bool looks_like_address(string_view host) {
  return host.find(':') != string_view::npos || (!host.empty() && parse_address(host.substr(0, host.find('/'))));
}

Result<void> read_address(string_view host, string_view whole, DomainRule& rule) {
  auto prefix = parse_prefix(host);
  if (!prefix) {
    // Two hosts in one text, or a port in the wrong position.
    return bad(whole, prefix.error().text(), prefix.error().fix());
  }
  if (prefix->bits == pinfold::whole(prefix->address.family) && is_localhost(prefix->address)) {
    rule.kind = DomainKind::kHostLoopback;
    return {};
  }
  PF_CHECK(may_be_granted(*prefix, whole));
  rule.kind = DomainKind::kAddress;
  rule.address = prefix->address;
  rule.prefix = prefix->bits;
  return {};
}

Result<void> read_name(string_view host, string_view whole, DomainRule& rule) {
  if (host == "*")
    return bad(whole, "* would allow every name", "name the domains, such as *.example.org, or use --net full");
  if (host.starts_with('.'))
    return bad(whole, "a name cannot begin with a dot", "write *" + shown(host) + " for all names below it");
  const bool wild = host.starts_with("*.");
  if (wild) host.remove_prefix(2);
  if (const std::size_t star = host.find('*'); star != string_view::npos)
    return bad(whole, "* can only stand for whole labels at the beginning" + at(whole.find('*', wild ? 1 : 0)),
               "write *.example.org: it covers any depth");
  if (host.find('/') != string_view::npos)
    return bad(whole, "a rule names a host, not a path", "leave out / and what follows");
  PF_TRY(name, canonical_name(host));
  if (name.ends_with(".localhost") || (wild && name == kLocalhost))
    return bad(whole, "names below localhost stay inside the sandbox",
               "write localhost:PORT for a service of the host");
  rule.kind = wild ? DomainKind::kWildcard : name == kLocalhost ? DomainKind::kHostLoopback : DomainKind::kName;
  if (rule.kind != DomainKind::kHostLoopback) rule.name = std::move(name);
  return {};
}

}  // namespace

Result<std::string> canonical_name(string_view text) {
  if (text.empty()) return fail(ErrorKind::kInvalid, "the name is empty", "write a name, such as example.org");
  // UTF-8 has at most four bytes for each byte of the ASCII form.
  if (text.size() > 4 * kLongestName) return bad(text, "it is longer than 253 bytes", "no name can be; check it");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte <= 0x20 || byte == 0x7F)
      return bad(text, std::string(byte == 0x20 ? "a blank" : "a control character") + at(i), "remove it");
    if (byte == '%') return bad(text, "% is no part of a name" + at(i), "write the letter itself, and no %");
  }
  string_view rest = text;
  if (rest.ends_with('.')) rest.remove_suffix(1);
  if (rest.empty()) return bad(text, "there is nothing but a dot", "write a name, such as example.org");
  std::string out;
  std::string last;
  std::size_t position = 0;
  while (true) {
    const std::size_t dot = rest.find('.', position);
    PF_TRY(label, canonical_label(rest.substr(position, dot - position), text, position));
    out += (out.empty() ? "" : ".") + label;
    if (out.size() > kLongestName) return bad(text, "it is longer than 253 bytes", "no name can be; check it");
    last = std::move(label);
    if (dot == string_view::npos) break;
    position = dot + 1;
  }
  if (is_number(last)) {
    if (parse_address(out)) return bad(text, "it is an address, not a name", "write the name of the host");
    return bad(text, "it is neither a name nor an address, but some programs take it for one",
               "write an address as four numbers without leading zeros, such as 127.0.0.1");
  }
  return out;
}

Result<Host> parse_host(string_view text) {
  string_view bare = text;
  if (bare.starts_with('[') && bare.ends_with(']')) bare = bare.substr(1, bare.size() - 2);
  if (bare.size() != text.size() || bare.find(':') != string_view::npos) {
    PF_TRY(address, parse_address(bare));
    if (bare.find(':') == string_view::npos)
      return bad(text, "brackets are for IPv6 addresses", "leave out the brackets");
    return Host(address);
  }
  if (auto address = parse_address(bare)) return Host(*address);
  PF_TRY(name, canonical_name(bare));
  return Host(std::move(name));
}

Result<DomainRule> parse_rule(string_view text, Origin origin) {
  const string_view whole = text;
  DomainRule rule;
  rule.origin = std::move(origin);
  if (text.starts_with('!')) {
    rule.action = RuleAction::kDeny;
    text.remove_prefix(1);
  }
  if (text.empty()) return bad(whole, "there is no name", "write a name, such as example.org or *.example.org:443");
  if (const std::size_t scheme = text.find("://"); scheme != string_view::npos) {
    const string_view rest = text.substr(scheme + 3);
    return bad(whole, "a rule names a host, not an address of the web",
               "write " + shown(rest.substr(0, std::min(rest.find_first_of("/?#"), kQuoted))));
  }
  PF_TRY(written, split_port(text));
  if (looks_like_address(written.host)) {
    PF_CHECK(read_address(written.host, whole, rule));
  } else {
    PF_CHECK(read_name(written.host, whole, rule));
  }
  if (written.port) {
    PF_TRY(port, parse_port(*written.port, whole));
    rule.ports = {port};
  } else if (rule.action == RuleAction::kAllow) {
    if (rule.kind == DomainKind::kHostLoopback)
      return bad(whole, "a service of the host is granted by its port", "write localhost:5432");
    // Otherwise a mistyped word would be a grant.
    if (rule.kind == DomainKind::kName && rule.name.find('.') == std::string::npos)
      return bad(whole, "a name without a dot needs a port", "write " + rule.name + ":443, or the whole name");
    rule.ports.assign(kUsualPorts.begin(), kUsualPorts.end());
  }
  return rule;
}

std::string print_rule(const DomainRule& rule) {
  std::string out = rule.action == RuleAction::kDeny ? "!" : "";
  const bool port = rule.ports.size() == 1;
  switch (rule.kind) {
    case DomainKind::kName: out += rule.name; break;
    case DomainKind::kWildcard: out += "*." + rule.name; break;
    case DomainKind::kHostLoopback: out += kLocalhost; break;
    case DomainKind::kAddress: {
      const std::string prefix = print_prefix({rule.address, rule.prefix});
      const bool brackets = port && rule.address.family == Family::kV6;
      out += brackets ? "[" + prefix + "]" : prefix;
      break;
    }
  }
  return port ? out + ":" + std::to_string(rule.ports[0]) : out;
}

std::string print_hosts(const HostAddresses& hosts) {
  std::string out = hosts.name;
  for (const IpAddress& address : hosts.addresses)
    out += (&address == hosts.addresses.data() ? "=" : ",") + print_address(address);
  return out;
}

std::string print_host(const Host& host, std::uint16_t port) {
  const std::string end = ":" + std::to_string(port);
  if (const auto* name = std::get_if<std::string>(&host)) return *name + end;
  const auto& address = std::get<IpAddress>(host);
  return (address.family == Family::kV6 ? "[" + print_address(address) + "]" : print_address(address)) + end;
}

}  // namespace pinfold
