// http_host.cc: hostile request heads, whole, byte by byte, and cut at odd places.
// Invariant: the cuts make no difference; a host that was read is canonical and is a part of the head.
// Not here: real requests (net/http_host_test.cc).
#include "net/http_host.h"

#include <cstddef>
#include <cstdint>

#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pinfold::net;
  using pinfold::fuzz::promise;
  using State = HttpHostReader::State;
  const ByteView all(data, size);
  HttpHostReader whole;
  whole.feed(all);
  HttpHostReader by_byte;
  for (std::size_t i = 0; i < size; ++i) by_byte.feed(all.subspan(i, 1));
  HttpHostReader in_pieces;
  std::size_t piece = size == 0 ? 1 : data[size - 1] % 64U + 1U;
  for (ByteView rest = all; !rest.empty(); piece = piece * 3 % 251 + 1) {
    in_pieces.feed(rest.first(std::min(piece, rest.size())));
    rest = rest.subspan(std::min(piece, rest.size()));
  }
  for (const HttpHostReader* other : {&by_byte, &in_pieces}) {
    promise(other->state() == whole.state(), "the cuts make no difference to the outcome");
    promise(other->request() == whole.request(), "the cuts make no difference to the request");
    promise(other->problem() == whole.problem(), "the cuts make no difference to the problem");
  }
  if (size > HttpHostReader::kMostBytes) promise(whole.state() != State::kNeedMore, "there is an end");
  promise((whole.state() == State::kNotHttp || whole.state() == State::kMalformed) == !whole.problem().empty(),
          "a problem has words");
  if (whole.state() != State::kRequest || !whole.request().host) return 0;
  const HostText& host = whole.request().host->host;
  const bool six = host.kind == HostText::Kind::kIpv6;
  const auto again = parse_host_port(six ? "[" + host.text + "]" : host.text);
  promise(again && again->host == host, "a host is canonical");
  std::string head(as_text(all));
  for (char& c : head) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (host.kind == HostText::Kind::kName) promise(head.find(host.text) != std::string::npos, "a name is in the head");
  return 0;
}
