// proxy_request.cc: HTTP/1 heads by way of http_host.h, SOCKS5 by RFC 1928 and 1929.
// Invariant: a forwarded request is the only one of its connection ("Connection: close"): a second one could be for
// another host.
#include "net/proxy_request.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/encode.h"
#include "net/address.h"
#include "net/http_host.h"

namespace pinfold::net {
namespace {

using std::string_view;
using Outcome = ProxyStep::Outcome;

constexpr std::uint8_t kSocks5 = 5, kSocks4 = 4;
constexpr std::uint8_t kPasswordMethod = 2;
constexpr string_view kEndOfHead = "\r\n\r\n";

// Constant time: does not depend on the position of the first wrong byte.
bool is_token(string_view given, string_view token) {
  unsigned different = given.size() == token.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size() && i < token.size(); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token[i]));
  return different == 0;
}

std::string bytes_of(std::initializer_list<std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

ProxyStep refused(std::string reply, std::string why) {
  ProxyStep step;
  step.outcome = Outcome::kRefused;
  step.reply = std::move(reply);
  step.why = std::move(why);
  return step;
}

std::string http_answer(string_view status, string_view more_fields, string_view text) {
  std::string out = "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(more_fields);
  out += "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: ";
  out += std::to_string(text.size() + 1) + "\r\n\r\n";
  return out.append(text) + "\n";
}

ProxyStep bad_request(string_view what) {
  return refused(http_answer("400 Bad Request", "", "pinfold: " + std::string(what)), std::string(what));
}

// ---- HTTP

struct Field {
  string_view name, value;
};

struct Head {
  string_view method, target, version;
  std::vector<Field> fields;
};

bool same(string_view a, string_view lower_case) {
  return a.size() == lower_case.size() && std::equal(a.begin(), a.end(), lower_case.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
         });
}

string_view stripped(string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Of a head that HttpHostReader accepted, without the empty line.
Head parts_of(string_view text) {
  Head head;
  std::size_t end = std::min(text.find("\r\n"), text.size());
  const string_view line = text.substr(0, end);
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  head.version = line.substr(last + 1);
  while (end < text.size()) {
    const std::size_t from = end + 2;
    end = std::min(text.find("\r\n", from), text.size());
    const string_view field = text.substr(from, end - from);
    const std::size_t colon = field.find(':');
    head.fields.push_back({field.substr(0, colon), stripped(field.substr(colon + 1))});
  }
  return head;
}

std::vector<string_view> list_of(string_view value) {
  std::vector<string_view> out;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t comma = std::min(value.find(',', at), value.size());
    out.push_back(stripped(value.substr(at, comma - at)));
    at = comma + 1;
  }
  return out;
}

bool has_token(const Head& head, string_view token) {
  for (const Field& field : head.fields) {
    if (!same(field.name, "proxy-authorization")) continue;
    const std::size_t space = field.value.find(' ');
    if (space == string_view::npos || !same(field.value.substr(0, space), "basic")) continue;
    const auto words = from_base64(stripped(field.value.substr(space)));
    const std::size_t colon = words ? words->find(':') : std::string::npos;
    if (colon != std::string::npos && is_token(string_view(*words).substr(colon + 1), token)) return true;
  }
  return false;
}

// "http://host/path?x#y" → "/path?x"
std::string origin_form(string_view method, string_view target) {
  target.remove_prefix(target.find("//") + 2);
  target = target.substr(0, target.find('#'));
  const std::size_t path = target.find_first_of("/?");
  if (path == string_view::npos) return method == "OPTIONS" ? "*" : "/";
  return (target[path] == '?' ? "/" : "") + std::string(target.substr(path));
}

// The head for the server: without the proxy's own fields, and with "Connection: close".
std::string head_for_server(const Head& head, string_view authority) {
  static constexpr string_view kDropped[] = {"connection", "keep-alive", "proxy-authorization", "proxy-connection",
                                             "host"};
  bool upgrades = false;
  std::string out = std::string(head.method) + " " + origin_form(head.method, head.target) + " ";
  out += std::string(head.version) + "\r\nHost: " + std::string(authority) + "\r\n";
  for (const Field& field : head.fields) {
    if (same(field.name, "connection"))
      for (const string_view each : list_of(field.value)) upgrades = upgrades || same(each, "upgrade");
    if (std::none_of(std::begin(kDropped), std::end(kDropped),
                     [&](string_view each) { return same(field.name, each); }))
      out += std::string(field.name) + ": " + std::string(field.value) + "\r\n";
  }
  return out + (upgrades ? "Connection: Upgrade" : "Connection: close") + std::string(kEndOfHead);
}

ProxyStep read_http(ByteView bytes, string_view token) {
  const string_view text = as_text(bytes.first(std::min(bytes.size(), kLongestProxyMessage)));
  HttpHostReader reader;
  switch (reader.feed(as_bytes(text))) {
    case HttpHostReader::State::kNeedMore: return {};
    case HttpHostReader::State::kRequest: break;
    default: return bad_request(reader.problem().empty() ? "HTTP/2 to a proxy" : reader.problem());
  }
  const std::size_t end = text.find(kEndOfHead);
  const Head head = parts_of(text.substr(0, end));
  ProxyStep step;
  if (!has_token(head, token)) {
    step = refused(http_answer("407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=\"pinfold\"\r\n",
                               "pinfold: the proxy of this sandbox requires the password of HTTPS_PROXY"),
                   "no password, or a wrong one");
  } else if (reader.request().form == HttpRequest::Form::kAuthority) {
    step.outcome = Outcome::kConnect;
  } else if (reader.request().form != HttpRequest::Form::kAbsolute) {
    return bad_request("this is a proxy: it takes CONNECT and absolute URLs");
  } else if (same(head.target.substr(0, 6), "https:")) {
    return bad_request("https goes through CONNECT");
  } else {
    step.outcome = Outcome::kConnect;
    step.mode = ProxyMode::kForward;
    const string_view after = head.target.substr(head.target.find("//") + 2);
    step.head = head_for_server(head, after.substr(0, after.find_first_of("/?#")));
  }
  step.taken = end + kEndOfHead.size();
  if (step.outcome == Outcome::kConnect) {
    step.host = reader.request().host->host;
    step.port = reader.request().host->port.value_or(80);
  }
  return step;
}

// ---- SOCKS5

ProxyStep go_on(std::string reply, ProxyStage next, std::size_t taken) {
  ProxyStep step;
  step.outcome = Outcome::kNextStage;
  step.reply = std::move(reply);
  step.next = next;
  step.taken = taken;
  return step;
}

ProxyStep read_greeting(ByteReader& in) {
  in.u8();
  const ByteView methods = in.after_u8();
  if (!in.ok()) return {};
  if (std::find(methods.begin(), methods.end(), kPasswordMethod) == methods.end())
    return refused(bytes_of({kSocks5, 0xff}), "no password was offered");
  return go_on(bytes_of({kSocks5, kPasswordMethod}), ProxyStage::kSocksPassword, in.position());
}

ProxyStep read_password(ByteReader& in, string_view token) {
  const std::uint8_t version = in.u8();
  in.after_u8();  // the user name is ignored
  const ByteView password = in.after_u8();
  if (!in.ok()) return {};
  if (version != 1 || !is_token(as_text(password), token)) return refused(bytes_of({1, 1}), "a wrong password");
  return go_on(bytes_of({1, 0}), ProxyStage::kSocksRequest, in.position());
}

std::string socks_reply(std::uint8_t code) { return bytes_of({kSocks5, code, 0, 1, 0, 0, 0, 0, 0, 0}); }

ProxyStep read_socks_request(ByteReader& in) {
  constexpr std::uint8_t kConnect = 1, kV4 = 1, kName = 3, kV6 = 4;
  const std::uint8_t version = in.u8(), command = in.u8();
  in.u8();
  const std::uint8_t kind = in.u8();
  if (!in.ok()) return {};
  if (version != kSocks5) return refused(socks_reply(1), "not SOCKS5");
  if (command != kConnect) return refused(socks_reply(7), "only CONNECT is known");
  std::optional<HostText> host;
  if (kind == kName) {
    const ByteView name = in.after_u8();
    if (in.ok()) host = parse_host(as_text(name));
  } else if (kind == kV4) {
    const ByteView four = in.take(4);
    if (in.ok()) {
      std::uint32_t bits = 0;
      for (const std::uint8_t each : four) bits = bits << 8U | each;
      host = HostText{HostText::Kind::kIpv4, Address::v4(bits).text()};
    }
  } else if (kind == kV6) {
    const ByteView sixteen = in.take(16);
    std::array<std::uint8_t, 16> bytes{};
    std::copy(sixteen.begin(), sixteen.end(), bytes.begin());
    const Address address = Address::v6(bytes);
    host = HostText{address.is_v4() ? HostText::Kind::kIpv4 : HostText::Kind::kIpv6, address.text()};
  } else {
    return refused(socks_reply(8), "an unknown kind of address");
  }
  const std::uint16_t port = in.u16();
  if (!in.ok()) return {};
  if (!host || port == 0) return refused(socks_reply(2), "no proper host and port");
  ProxyStep step;
  step.outcome = Outcome::kConnect;
  step.taken = in.position();
  step.mode = ProxyMode::kSocks;
  step.host = *std::move(host);
  step.port = port;
  return step;
}

}  // namespace

ProxyStep read_for_proxy(ProxyStage stage, ByteView bytes, string_view token) {
  if (bytes.empty()) return {};
  ByteReader in(bytes);
  switch (stage) {
    case ProxyStage::kFirst:
      if (bytes[0] == kSocks4) return refused(bytes_of({0, 0x5b, 0, 0, 0, 0, 0, 0}), "SOCKS4 has no passwords");
      return bytes[0] == kSocks5 ? read_greeting(in) : read_http(bytes, token);
    case ProxyStage::kSocksPassword: return read_password(in, token);
    case ProxyStage::kSocksRequest: return read_socks_request(in);
  }
  return {};
}

std::string proxy_reply(ProxyMode mode, ProxyResult result, string_view why) {
  if (mode == ProxyMode::kSocks)
    return socks_reply(result == ProxyResult::kConnected ? 0 : result == ProxyResult::kDenied ? 2 : 4);
  const std::string text = "pinfold: " + std::string(why);
  switch (result) {
    case ProxyResult::kConnected:
      return mode == ProxyMode::kTunnel ? "HTTP/1.1 200 Connection established\r\n\r\n" : "";
    case ProxyResult::kDenied: return http_answer("403 Forbidden", "", text);
    case ProxyResult::kUnreachable: return http_answer("502 Bad Gateway", "", text);
  }
  return {};
}

}  // namespace pinfold::net
