// client_hello.h: reads the first TLS message of a client, as it comes in, for the name that it asks for.
// Invariant: at most 64 KiB are looked at, in linear time; the outcome depends on the bytes, never on how they were
// cut; a hello that two servers could read differently is malformed. Not here: I/O, whether the name is granted.
//
// What the name proves: which certificate the server is asked to show. What it does not prove: which of its sites a
// server serves then, because the HTTP request is encrypted, as is a second handshake. A second hello after a
// HelloRetryRequest is not looked at.
//
// ECH: the name in the clear is the public name of the server that decrypts; the real one is hidden. So this name must
// be granted like any other, and granting it trusts that server with all names it stands in for. Browsers send ECH
// filled with noise to every server, which nobody outside can tell from the real thing: refusing hellos for it would
// break them. The DNS stub has no HTTPS records, so programs inside do not learn keys for ECH from it.
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
    kMalformed,  // TLS, but no hello that every server reads alike: refuse
    kHello,
  };
  static constexpr std::size_t kMostBytes = 64 * 1024;  // of the stream, record headers included

  // The next bytes of the stream. A hello within one piece is read where it lies; only one in several is copied, once.
  // What follows the hello is not looked at. After the end (any state but kNeedMore) nothing changes.
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
