// client_hello.cc: hostile TLS hellos, whole, byte by byte, and cut at odd places.
// Invariant: the cuts make no difference; a name that was read is canonical.
// Not here: comparison with OpenSSL (tests/parser_differential).
#include "net/client_hello.h"

#include <cstddef>
#include <cstdint>

#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pinfold::net;
  using pinfold::fuzz::promise;
  using State = ClientHelloReader::State;
  const ByteView all(data, size);
  ClientHelloReader whole;
  whole.feed(all);
  ClientHelloReader by_byte;
  for (std::size_t i = 0; i < size; ++i) by_byte.feed(all.subspan(i, 1));
  ClientHelloReader in_pieces;
  std::size_t piece = size == 0 ? 1 : data[size - 1] % 64U + 1U;
  for (ByteView rest = all; !rest.empty(); piece = piece * 3 % 251 + 1) {
    in_pieces.feed(rest.first(std::min(piece, rest.size())));
    rest = rest.subspan(std::min(piece, rest.size()));
  }
  for (const ClientHelloReader* other : {&by_byte, &in_pieces}) {
    promise(other->state() == whole.state(), "the cuts make no difference to the outcome");
    promise(other->hello() == whole.hello(), "the cuts make no difference to the hello");
    promise(other->problem() == whole.problem(), "the cuts make no difference to the problem");
  }
  if (size > ClientHelloReader::kMostBytes) promise(whole.state() != State::kNeedMore, "there is an end");
  promise((whole.state() == State::kNotTls || whole.state() == State::kMalformed) == !whole.problem().empty(),
          "a problem has words");
  if (whole.state() != State::kHello) return 0;
  promise(whole.hello().alpn.size() <= ClientHello::kMostProtocols, "a bounded number of protocols");
  if (whole.hello().sni) promise(parse_host(whole.hello().sni->text) == whole.hello().sni, "a name is canonical");
  return 0;
}
