// dns_encode.cc: writes the answers of the stub.
// Invariant: names in answers are the question's own (by a pointer to it) or are made here; the size limit is kept by
// omitting whole sections, never by cutting one. Not here: reading (dns_message.cc).
#include <algorithm>

#include "net/dns_message.h"
#include "net/dns_wire.h"
#include "net/host_text.h"

namespace pinfold::net::dns {
namespace {

constexpr std::uint16_t kToQuestion = 0xc000 | kHeaderSize;  // the name at this offset
constexpr std::uint16_t kExtendedError = 15;                 // EDNS option, RFC 8914
constexpr std::uint16_t kProhibited = 18;
constexpr std::size_t kLongestWhy = 200;
constexpr std::size_t kLargestMessage = 65535;

void put_name(Bytes& out, std::string_view canonical) {
  while (!canonical.empty()) {
    const std::string_view label = canonical.substr(0, canonical.find('.'));
    out.push_back(static_cast<std::uint8_t>(label.size()));
    out.insert(out.end(), label.begin(), label.end());
    canonical.remove_prefix(std::min(label.size() + 1, canonical.size()));
  }
  out.push_back(0);
}

// Reserves two bytes, and in its destructor writes the number of bytes that follow them.
class LengthPrefix {
 public:
  explicit LengthPrefix(Bytes& out) : out_(out), at_(out.size()) { put_u16(out, 0); }
  ~LengthPrefix() {
    const std::size_t size = out_.size() - at_ - 2;
    out_[at_] = static_cast<std::uint8_t>(size >> 8U);
    out_[at_ + 1] = static_cast<std::uint8_t>(size & 0xffU);
  }
  LengthPrefix(const LengthPrefix&) = delete;
  LengthPrefix& operator=(const LengthPrefix&) = delete;

 private:
  Bytes& out_;
  std::size_t at_;
};

void put_record(Bytes& out, Type type, std::uint32_t ttl) {
  put_u16(out, static_cast<std::uint16_t>(type));
  put_u16(out, static_cast<std::uint16_t>(Class::kInternet));
  put_u32(out, ttl);
}

// Of the root: above every name, and correct where an SOA of the name itself would imply that the name exists.
void put_soa(Bytes& out, std::uint32_t ttl) {
  put_name(out, "");
  put_record(out, Type::kSoa, ttl);
  const LengthPrefix data(out);
  put_name(out, "pinfold.invalid");
  put_name(out, "nobody.invalid");
  put_u32(out, 1);      // serial
  put_u32(out, 3600);   // refresh
  put_u32(out, 600);    // retry
  put_u32(out, 86400);  // expire
  put_u32(out, ttl);    // how long there is nothing (RFC 2308)
}

void put_opt(Bytes& out, const Edns& edns, Rcode rcode, std::string_view why) {
  put_name(out, "");
  put_u16(out, static_cast<std::uint16_t>(Type::kOpt));
  put_u16(out, kUdpSize);
  put_u32(out, static_cast<std::uint32_t>(rcode) >> 4U << 24U | (edns.dnssec_ok ? kDnssecOk : 0));
  const LengthPrefix options(out);
  if (why.empty()) return;
  put_u16(out, kExtendedError);
  const LengthPrefix option(out);
  put_u16(out, kProhibited);
  out.insert(out.end(), why.begin(), why.end());
}

struct Parts {
  Rcode rcode = Rcode::kNoError;
  std::uint16_t flags = 0;
  std::uint16_t records = 0;
  Bytes answers;
  std::optional<std::uint32_t> nothing_for;  // an SOA with this TTL
  std::string_view why;
};

Bytes put_together(const Query& query, const Parts& parts) {
  Bytes out;
  out.reserve(kSmallestUdp);
  put_u16(out, query.id);
  put_u16(out, static_cast<std::uint16_t>(flag::kResponse | flag::kRecursionAvailable | parts.flags |
                                          (query.recursion_desired ? flag::kRecursionDesired : 0) |
                                          (query.checking_disabled ? flag::kCheckingDisabled : 0) |
                                          (static_cast<std::uint16_t>(parts.rcode) & 0xfU)));
  put_u16(out, 1);
  put_u16(out, parts.records);
  put_u16(out, parts.nothing_for ? 1 : 0);
  put_u16(out, query.edns ? 1 : 0);
  out.insert(out.end(), query.question.begin(), query.question.end());
  out.insert(out.end(), parts.answers.begin(), parts.answers.end());
  if (parts.nothing_for) put_soa(out, *parts.nothing_for);
  if (query.edns) put_opt(out, *query.edns, parts.rcode, parts.why);
  return out;
}

// The longest question with header, SOA and OPT is below 512 bytes, so only records and reasons may have to go.
Bytes fitting(const Query& query, Transport transport, Parts parts) {
  const std::size_t most = transport == Transport::kTcp ? kLargestMessage
                           : query.edns                 ? std::min(query.edns->udp_size, kUdpSize)
                                                        : kSmallestUdp;
  // Cut where a character of UTF-8 starts.
  if (parts.why.size() > kLongestWhy) {
    std::size_t end = kLongestWhy;
    while (end > 0 && (static_cast<unsigned char>(parts.why[end]) & 0xc0U) == 0x80U) --end;
    parts.why = parts.why.substr(0, end);
  }
  if (Bytes whole = put_together(query, parts); whole.size() <= most) return whole;
  parts.why = {};
  if (Bytes whole = put_together(query, parts); whole.size() <= most) return whole;
  parts.answers.clear();
  parts.records = 0;
  if (transport == Transport::kTcp)
    parts.rcode = Rcode::kServFail;
  else
    parts.flags |= flag::kTruncated;
  return put_together(query, parts);
}

template <typename Record, typename Put>
Bytes answer_records(const Query& query, Transport transport, Type type, std::span<const Record> records,
                     std::uint32_t ttl, Put put) {
  if (records.empty()) return answer_empty(query, transport, ttl);
  if (records.size() > kLargestMessage / kHeaderSize) return answer_error(query, transport, Rcode::kServFail);
  Parts parts;
  parts.records = static_cast<std::uint16_t>(records.size());
  for (const Record& record : records) {
    put_u16(parts.answers, kToQuestion);
    put_record(parts.answers, type, ttl);
    const LengthPrefix data(parts.answers);
    put(parts.answers, record);
  }
  return fitting(query, transport, std::move(parts));
}

}  // namespace

Bytes header_only(const Header& query, Rcode rcode) {
  constexpr std::uint16_t kEchoed = flag::kOpcode | flag::kRecursionDesired | flag::kCheckingDisabled;
  Bytes out;
  put_u16(out, query.id);
  put_u16(out, static_cast<std::uint16_t>(flag::kResponse | flag::kRecursionAvailable | (query.flags & kEchoed) |
                                          static_cast<std::uint16_t>(rcode)));
  out.resize(kHeaderSize);
  return out;
}

Bytes answer_a(const Query& query, Transport transport, std::span<const Ipv4> addresses, std::uint32_t ttl) {
  return answer_records(query, transport, Type::kA, addresses, ttl,
                        [](Bytes& out, const Ipv4& address) { out.insert(out.end(), address.begin(), address.end()); });
}

Bytes answer_aaaa(const Query& query, Transport transport, std::span<const Ipv6> addresses, std::uint32_t ttl) {
  return answer_records(query, transport, Type::kAaaa, addresses, ttl,
                        [](Bytes& out, const Ipv6& address) { out.insert(out.end(), address.begin(), address.end()); });
}

Bytes answer_srv(const Query& query, Transport transport, std::span<const Service> services, std::uint32_t ttl) {
  for (const Service& service : services)
    if (canonical_wire_name(service.target) != service.target) return answer_error(query, transport, Rcode::kServFail);
  return answer_records(query, transport, Type::kSrv, services, ttl, [](Bytes& out, const Service& service) {
    put_u16(out, service.priority);
    put_u16(out, service.weight);
    put_u16(out, service.port);
    put_name(out, service.target);
  });
}

Bytes answer_empty(const Query& query, Transport transport, std::uint32_t ttl) {
  Parts parts;
  parts.nothing_for = ttl;
  return fitting(query, transport, std::move(parts));
}

Bytes answer_no_such_name(const Query& query, Transport transport, std::uint32_t ttl, std::string_view why) {
  Parts parts;
  parts.rcode = Rcode::kNxDomain;
  parts.nothing_for = ttl;
  parts.why = why;
  return fitting(query, transport, std::move(parts));
}

Bytes answer_error(const Query& query, Transport transport, Rcode rcode, std::string_view why) {
  Parts parts;
  parts.rcode = rcode;
  parts.why = why;
  return fitting(query, transport, std::move(parts));
}

}  // namespace pinfold::net::dns
