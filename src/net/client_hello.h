// client_hello.h: reads the first TLS message of a client, as it arrives, for its server name.
// Invariant: reads at most 64 KiB, in linear time; the outcome depends on the bytes, never on how they were
// split; a hello that two servers could read differently is malformed. Not here: I/O, whether the name is granted.
//
// The name proves which certificate the client requests. It does not prove which of its sites the server serves then,
// because the HTTP request is encrypted, as is a second handshake. A second hello after a HelloRetryRequest is not
// read.
//
// ECH: the name in the clear is the public name of the server that decrypts; the real one is hidden. So this name must
// be granted like any other, and granting it trusts that server with all names that it serves. Browsers send ECH
// filled with random bytes to every server, and an observer cannot distinguish it from real ECH: refusing such hellos
// would break browsers. The DNS stub has no HTTPS records, so programs inside do not learn keys for ECH from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/byte_reader.h"
#include "net/host_text.h"

namespace pinfold::net {

struct ClientHello {
  enum class Ech { kAbsent, kPresent };

  // None: the client sent no name. An address is against RFC 6066, but some send it; it never equals a granted name.
  std::optional<HostText> sni;
  Ech ech = Ech::kAbsent;
  // As sent, GREASE included: any bytes. Of a longer list the first kMostProtocols.
  std::vector<std::string> alpn;

  static constexpr std::size_t kMostProtocols = 16;
  bool operator==(const ClientHello&) const = default;
};

class ClientHelloReader {
 public:
  enum class State {
    kNeedMore,   // so far it is TLS
    kNotTls,     // the first bytes are no TLS record; an SSLv2 hello is none, either. Known after two bytes at most
    kMalformed,  // TLS, but servers may read this hello differently: refuse
    kHello,
  };
  static constexpr std::size_t kMostBytes = 64 * 1024;  // of the stream, record headers included

  // The next bytes of the stream. A hello in one piece is parsed in place; only one in several pieces is copied, once.
  // The bytes after the hello are not read. After the end (any state but kNeedMore) nothing changes.
  State feed(ByteView bytes);

  State state() const { return state_; }
  const ClientHello& hello() const { return hello_; }    // with kHello
  std::string_view problem() const { return problem_; }  // with kNotTls and kMalformed: a few words for the report

 private:
  ByteView read_header(ByteView bytes);
  void read_fragment(ByteView fragment);
  void read_hello(ByteView body);
  std::string_view read_extension(std::uint16_t type, ByteView data);
  void end(State state, std::string_view problem);

  State state_ = State::kNeedMore;
  std::size_t total_ = 0;
  std::array<std::uint8_t, 5> header_{};
  std::size_t header_size_ = 0;
  std::size_t record_left_ = 0;
  Bytes message_;  // of a hello in several pieces
  ClientHello hello_;
  std::string_view problem_;
};

}  // namespace pinfold::net
