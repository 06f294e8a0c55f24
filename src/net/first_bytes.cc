// first_bytes.cc: TLS first, then HTTP on port 80.
#include "net/first_bytes.h"

#include <algorithm>

#include "net/client_hello.h"
#include "net/http_host.h"

namespace pinfold::net {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

FirstBytesCheck refuse(NetDenial::Reason reason, std::string why) {
  return {FirstBytesCheck::Outcome::kRefuse, reason, std::move(why)};
}
FirstBytesCheck pass() { return {FirstBytesCheck::Outcome::kPass, {}, ""}; }
FirstBytesCheck need_more() { return {FirstBytesCheck::Outcome::kNeedMore, {}, ""}; }

FirstBytesCheck check_hello(const ClientHello& hello, std::string_view name) {
  if (!hello.sni) return refuse(NetDenial::Reason::kServerName, "TLS names no server (no SNI)");
  if (hello.sni->kind == HostText::Kind::kName && hello.sni->text == name) return pass();
  return refuse(NetDenial::Reason::kServerName, "TLS is for '" + hello.sni->text + "' (SNI)");
}

FirstBytesCheck check_http(ByteView bytes, StreamEnd end, std::string_view name) {
  HttpHostReader reader;
  switch (reader.feed(bytes)) {
    case HttpHostReader::State::kNeedMore:
      if (end == StreamEnd::kOpen) return need_more();
      return refuse(NetDenial::Reason::kHost, "the HTTP request is not complete");
    case HttpHostReader::State::kNotHttp:
      return refuse(NetDenial::Reason::kHost, "no HTTP request on port 80: " + std::string(reader.problem()));
    case HttpHostReader::State::kMalformed:
      return refuse(NetDenial::Reason::kHost, "the HTTP request is malformed: " + std::string(reader.problem()));
    case HttpHostReader::State::kHttp2: return refuse(NetDenial::Reason::kHost, "HTTP/2 without TLS hides its host");
    case HttpHostReader::State::kRequest: break;
  }
  const auto& host = reader.request().host;
  if (!host) return refuse(NetDenial::Reason::kHost, "the HTTP request names no host");
  if (host->host.kind == HostText::Kind::kName && host->host.text == name) return pass();
  return refuse(NetDenial::Reason::kHost, "the HTTP request is for '" + host->host.text + "' (Host)");
}

// "SSH-2.0-…", also if only its beginning has arrived.
enum class Prefix { kNo, kSoFar, kWhole };
Prefix ssh_prefix(ByteView bytes) {
  constexpr std::string_view kStart = "SSH-";
  std::size_t size = std::min(bytes.size(), kStart.size());
  for (std::size_t i = 0; i < size; ++i)
    if (bytes[i] != static_cast<std::uint8_t>(kStart[i])) return Prefix::kNo;
  return size == kStart.size() ? Prefix::kWhole : Prefix::kSoFar;
}

}  // namespace

FirstBytesCheck check_first_bytes(ByteView bytes, StreamEnd end, std::string_view name, std::uint16_t port) {
  if (bytes.empty()) return end == StreamEnd::kEnded ? pass() : need_more();
  ClientHelloReader reader;
  switch (reader.feed(bytes)) {
    case ClientHelloReader::State::kNeedMore:
      if (end == StreamEnd::kOpen) return need_more();
      return refuse(NetDenial::Reason::kServerName, "the TLS hello is not complete");
    case ClientHelloReader::State::kMalformed:
      return refuse(NetDenial::Reason::kServerName, "the TLS hello is malformed: " + std::string(reader.problem()));
    case ClientHelloReader::State::kHello: return check_hello(reader.hello(), name);
    case ClientHelloReader::State::kNotTls: break;
  }
  if (port == kHttpPort) return check_http(bytes, end, name);
  if (port != kHttpsPort) return pass();
  Prefix ssh = ssh_prefix(bytes);
  if (ssh == Prefix::kWhole) return pass();
  if (ssh == Prefix::kSoFar && end == StreamEnd::kOpen) return need_more();
  return refuse(NetDenial::Reason::kServerName, "neither TLS nor SSH on port 443");
}

}  // namespace pinfold::net
