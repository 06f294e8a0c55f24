// first_bytes.h: compares the name in a client's first bytes (SNI, Host) with the granted name.
// Invariant: bytes that a server could read as another name never pass; the outcome does not depend on how the bytes
// are split. Not here: reading from sockets; which connections are checked (not those that were granted by address).
//
// - Bytes that look like TLS, on any port: SNI must be the name. No SNI is refused: programs that connect by
//   name send it; without it a server uses its default certificate, and the encrypted request can name any site.
// - Port 443: TLS, or SSH (which some servers accept there); nothing else. SSH names no host.
// - Port 80: an HTTP/1 request whose Host is the name. HTTP/2 without TLS hides it and is refused. Only the first
//   request of a connection is read.
// - Any other port: the destination is the granted address, and there is no name to compare.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/byte_reader.h"
#include "net/events.h"

namespace pinfold::net {

enum class StreamEnd { kOpen, kEnded };

struct FirstBytesCheck {
  enum class Outcome { kNeedMore, kPass, kRefuse };
  Outcome outcome = Outcome::kNeedMore;
  NetDenial::Reason reason = NetDenial::Reason::kServerName;
  std::string why;
};

FirstBytesCheck check_first_bytes(ByteView bytes, StreamEnd end, std::string_view name, std::uint16_t port);

}  // namespace pinfold::net
