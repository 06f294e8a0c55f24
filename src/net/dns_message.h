// dns_message.h: DNS queries of sandboxed programs, and the answers of the stub (RFC 1035, 2308, 6891).
// Invariant: any bytes are read in linear time; the question is echoed byte for byte (clients mix its case to recognise
// forged answers); every answer is a whole message that fits the transport. Not here: sockets, which names are granted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "net/byte_reader.h"

namespace pinfold::net::dns {

// The types that the stub handles; a query may have any other number.
enum class Type : std::uint16_t {
  kA = 1,
  kNs = 2,
  kCname = 5,
  kSoa = 6,
  kPtr = 12,
  kMx = 15,
  kTxt = 16,
  kAaaa = 28,
  kSrv = 33,
  kOpt = 41,
  kSvcb = 64,
  kHttps = 65,
  kAny = 255,
};
enum class Class : std::uint16_t { kInternet = 1, kChaos = 3, kAny = 255 };
enum class Rcode : std::uint16_t {
  kNoError = 0,
  kFormErr = 1,
  kServFail = 2,
  kNxDomain = 3,
  kNotImp = 4,
  kRefused = 5,
  kBadVers = 16,
};
enum class Transport { kUdp, kTcp };

struct Edns {
  std::uint16_t udp_size = 512;  // the largest answer that the client accepts, at least 512
  bool dnssec_ok = false;
};

struct Query {
  std::uint16_t id = 0;
  bool recursion_desired = false;
  bool checking_disabled = false;
  // As in HostText. None: the root, or labels that no host name has (dots within a label, NUL, 8-bit, '*', a number at
  // the end); such a name equals no granted one.
  std::optional<std::string> name;
  std::string shown;  // for reports: as sent, odd bytes as \DDD; no control characters
  Type type = Type::kA;
  Class klass = Class::kInternet;
  std::optional<Edns> edns;
  Bytes question;  // as it came
};

struct QueryProblem {
  std::string_view why;
  Bytes reply;  // empty: send nothing (too short to answer, or itself an answer: two stubs would reply to each other
                // without end)
};

constexpr std::size_t kMostQuery = 4096;  // a question is below 300 bytes; the rest is room for padding
constexpr std::uint16_t kUdpSize = 1232;  // the largest message of the stub: fits every link without fragments

// One standard query with one question.
tl::expected<Query, QueryProblem> parse_query(ByteView message);

using Ipv4 = std::array<std::uint8_t, 4>;
using Ipv6 = std::array<std::uint8_t, 16>;
struct Service {
  std::uint16_t priority = 0;
  std::uint16_t weight = 0;
  std::uint16_t port = 0;
  std::string target;  // canonical name
};

// Records for the queried name. With an empty list this is answer_empty(). An answer that does not fit into a datagram
// becomes a truncated one without records, and the client retries over TCP.
Bytes answer_a(const Query& query, Transport transport, std::span<const Ipv4> addresses, std::uint32_t ttl);
Bytes answer_aaaa(const Query& query, Transport transport, std::span<const Ipv6> addresses, std::uint32_t ttl);
Bytes answer_srv(const Query& query, Transport transport, std::span<const Service> services, std::uint32_t ttl);

// The name exists, but not with this type (HTTPS, MX…): with an SOA, so that resolvers cache it and do not query
// again.
Bytes answer_empty(const Query& query, Transport transport, std::uint32_t ttl);
// There is no such name, and none below it; with an SOA, too.
Bytes answer_no_such_name(const Query& query, Transport transport, std::uint32_t ttl, std::string_view why = {});
// REFUSED, NOTIMP, SERVFAIL… For answers that are denials, `why` is added if the client supports it (RFC 8914,
// "Prohibited"): dig and others show it.
Bytes answer_error(const Query& query, Transport transport, Rcode rcode, std::string_view why = {});

// DNS over TCP: each message follows its length in two bytes.
Bytes framed(ByteView message);

class TcpReader {
 public:
  enum class State { kNeedMore, kMessage, kBroken };

  // Takes bytes from the front of `bytes` up to the end of one message; call again while some are left. After kBroken
  // (an empty message, or one beyond kMostQuery) the stream cannot be parsed any further: close it.
  State feed(ByteView& bytes);
  // With kMessage, until the next feed().
  ByteView message() const { return ByteView(buffer_).subspan(2); }

 private:
  State state_ = State::kNeedMore;
  Bytes buffer_;  // with the length
};

}  // namespace pinfold::net::dns
