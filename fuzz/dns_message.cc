// dns_message.cc: hostile DNS queries, as datagrams and cut into pieces on TCP; every answer to the parsed queries.
// Invariant: every answer is whole, fits, and echoes the question; a name that was read is canonical.
// Not here: choosing the answer (the relay).
#include "net/dns_message.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/dns_question.h"
#include "net/dns_reply_reader.h"
#include "net/host_text.h"
#include "world.h"

namespace {

using namespace pinfold;
using namespace pinfold::net;
using fuzz::promise;

void check_answer(const dns::Query& query, dns::Transport transport, const Bytes& answer) {
  const std::size_t most = transport == dns::Transport::kTcp ? 65535
                           : query.edns                      ? std::min(query.edns->udp_size, dns::kUdpSize)
                                                             : std::uint16_t{512};
  promise(answer.size() <= most, "an answer fits");
  const auto reply = dns::read_reply(answer);
  promise(reply.has_value(), "an answer is whole");
  promise(reply->id == query.id && (reply->flags & 0x8000U) != 0, "an answer is the query's");
  promise(reply->question == query.question, "the question is echoed");
  promise(reply->additionals.size() == (query.edns ? 1U : 0U), "EDNS is answered by EDNS");
}

void check_query(ByteView message) {
  const auto query = dns::parse_query(message);
  if (!query) {
    promise(!query.error().why.empty(), "a problem has words");
    if (query.error().reply.empty()) return;
    const auto reply = dns::read_reply(query.error().reply);
    promise(reply && reply->rcode() + reply->additionals.size() > 0, "a refusal is whole, and is one");
    return;
  }
  if (query->name) promise(canonical_wire_name(*query->name) == query->name, "a name is canonical");
  for (const char c : query->shown) promise(c > 0x20 && c < 0x7f, "the shown name is printable");
  promise(query->shown.size() <= 1024, "the shown name is bounded");
  const std::vector<dns::Ipv4> v4(message.size() % 90, dns::Ipv4{198, 18, 0, 1});
  const std::vector<dns::Ipv6> v6(message.size() % 50, dns::Ipv6{0xfd});
  const std::vector<dns::Service> services(message.size() % 7, {1, 2, 443, query->name.value_or("example.org")});
  for (const auto transport : {dns::Transport::kUdp, dns::Transport::kTcp}) {
    check_answer(*query, transport, dns::answer_a(*query, transport, v4, 60));
    check_answer(*query, transport, dns::answer_aaaa(*query, transport, v6, 60));
    check_answer(*query, transport, dns::answer_srv(*query, transport, services, 60));
    check_answer(*query, transport, dns::answer_empty(*query, transport, 60));
    check_answer(*query, transport, dns::answer_no_such_name(*query, transport, 60, query->shown));
    check_answer(*query, transport, dns::answer_error(*query, transport, dns::Rcode::kRefused, query->shown));
  }
}

// The same bytes somewhere in a caller's memory (base/dns_question.h).
void check_search(ByteView all) {
  const std::string_view bytes(reinterpret_cast<const char*>(all.data()), all.size());
  const auto found = find_dns_question(bytes);
  if (!found) return;
  promise(!found->empty() && found->size() <= 253, "a name that was found has a name's length");
  promise(found->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") == std::string::npos,
          "a name that was found is one of a host");
  promise(found->find("..") == std::string::npos && found->front() != '.' && found->back() != '.',
          "labels are not empty");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView all(data, size);
  check_query(all);
  check_search(all);

  // As a stream: the same messages, however it is cut.
  std::vector<Bytes> whole;
  std::vector<Bytes> pieces;
  dns::TcpReader at_once;
  ByteView rest = all;
  while (!rest.empty() && at_once.feed(rest) == dns::TcpReader::State::kMessage)
    whole.emplace_back(at_once.message().begin(), at_once.message().end());
  dns::TcpReader by_byte;
  for (std::size_t i = 0; i < size; ++i) {
    ByteView byte = all.subspan(i, 1);
    const auto state = by_byte.feed(byte);
    if (state == dns::TcpReader::State::kBroken) break;
    promise(byte.empty(), "the reader takes the bytes that it wants");
    if (state == dns::TcpReader::State::kMessage)
      pieces.emplace_back(by_byte.message().begin(), by_byte.message().end());
  }
  promise(whole == pieces, "the cuts make no difference");
  for (const Bytes& message : whole) {
    check_query(message);
    promise(dns::framed(message).size() == message.size() + 2, "framing adds the length");
  }
  return 0;
}
