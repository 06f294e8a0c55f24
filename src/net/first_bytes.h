// first_bytes.h: what the first bytes of a client say about the name it means, held against the name that was granted.
// Invariant: nothing passes that a server could take for another name; the same bytes, however cut, get the same
// answer. Not here: reading from sockets; which connections are judged at all (not those that were granted by address).
//
// - Bytes that look like TLS, on any port: SNI must be the name. No SNI is refused: programs that were given a name
//   send it, and a server that gets none serves whatever is its default, and the request inside can then name any site.
// - Port 443: TLS, or SSH (which some servers take there); nothing else. SSH names no host.
// - Port 80: an HTTP/1 request whose Host is the name. HTTP/2 without TLS hides it and is refused. Only the first
// request of
//   a connection is read.
// - Any other port: the granted address was reached, and there is no name to compare.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/byte_reader.h"
#include "net/events.h"

namespace pinfold::net {

enum class StreamEnd { kOpen, kEnded };

struct FirstBytes {
  enum class Verdict { kNeedMore, kPass, kRefuse };
  Verdict verdict = Verdict::kNeedMore;
  NetDenial::Reason reason = NetDenial::Reason::kServerName;
  std::string why;
};

FirstBytes judge_first_bytes(ByteView bytes, StreamEnd end, std::string_view name, std::uint16_t port);

}  // namespace pinfold::net
