// dns_message.cc: reads queries, and frames messages on TCP.
// Invariant: names are followed only backwards, each byte at most once; counts are limited by the number of
// bytes. Not here: answers (dns_encode.cc).
#include "net/dns_message.h"

#include <algorithm>

#include "net/dns_wire.h"
#include "net/host_text.h"

namespace pinfold::net::dns {
namespace {

constexpr std::size_t kLongestName = 255;  // on the wire
constexpr std::uint16_t kMostRecords = 8;  // in the additional section: OPT, perhaps a signature

struct Name {
  std::optional<std::string> canonical;
  std::string shown;
};

void show_label(ByteView label, std::string& shown) {
  for (const std::uint8_t byte : label) {
    if (byte > 0x20 && byte < 0x7f && byte != '.' && byte != '\\') {
      shown += static_cast<char>(byte);
    } else {
      shown += '\\';
      for (const int unit : {100, 10, 1}) shown += static_cast<char>('0' + byte / unit % 10);
    }
  }
}

// A name without compression: in a question there is nothing before it that it could point to.
std::optional<Name> read_name(ByteReader& reader) {
  Name name;
  const std::size_t start = reader.position();
  while (true) {
    const std::uint8_t length = reader.u8();
    if (!reader.ok() || length > 63) return std::nullopt;
    if (length == 0) break;
    const ByteView label = reader.take(length);
    if (!reader.ok() || reader.position() - start >= kLongestName) return std::nullopt;
    if (!name.shown.empty()) name.shown += '.';
    show_label(label, name.shown);
  }
  // A dot within a label is shown as \046: it cannot pass for one between labels, nor can other odd bytes for letters.
  name.canonical = canonical_wire_name(name.shown);
  if (name.shown.empty()) name.shown = ".";
  return name;
}

// Passes a name that may end in a pointer, which must go backwards to somewhere behind the header.
bool skip_name(ByteReader& reader) {
  const std::size_t start = reader.position();
  while (true) {
    const std::uint8_t length = reader.u8();
    if (!reader.ok()) return false;
    if (length == 0) return true;
    if (length >= 0xc0) {
      const std::size_t target = static_cast<std::size_t>(length & 0x3fU) << 8U | reader.u8();
      return reader.ok() && target >= kHeaderSize && target < start;
    }
    if (length > 63) return false;
    reader.take(length);
    if (!reader.ok() || reader.position() - start >= kLongestName) return false;
  }
}

bool options_are_whole(ByteView data) {
  ByteReader options(data);
  while (options.left() > 0) {
    options.u16();
    options.after_u16();
  }
  return options.ok();
}

tl::unexpected<QueryProblem> silence(std::string_view why) { return tl::unexpected(QueryProblem{why, {}}); }
tl::unexpected<QueryProblem> refuse(const Header& header, Rcode rcode, std::string_view why) {
  return tl::unexpected(QueryProblem{why, header_only(header, rcode)});
}

}  // namespace

tl::expected<Query, QueryProblem> parse_query(ByteView message) {
  ByteReader reader(message);
  Header header;
  header.id = reader.u16();
  header.flags = reader.u16();
  const std::uint16_t questions = reader.u16();
  const std::uint16_t answers = reader.u16();
  const std::uint16_t authorities = reader.u16();
  const std::uint16_t additionals = reader.u16();
  if (!reader.ok()) return silence("too short for a query");
  if ((header.flags & flag::kResponse) != 0) return silence("an answer, not a query");
  if ((header.flags & flag::kOpcode) != 0) return refuse(header, Rcode::kNotImp, "an unknown operation");
  if (message.size() > kMostQuery) return refuse(header, Rcode::kFormErr, "too long for a query");
  if ((header.flags & flag::kTruncated) != 0) return refuse(header, Rcode::kFormErr, "a truncated query");
  if (questions != 1 || answers != 0 || authorities != 0 || additionals > kMostRecords)
    return refuse(header, Rcode::kFormErr, "not one question");

  auto name = read_name(reader);
  const auto type = static_cast<Type>(reader.u16());
  const auto klass = static_cast<Class>(reader.u16());
  if (!name || !reader.ok()) return refuse(header, Rcode::kFormErr, "a broken question");
  Query query;
  query.id = header.id;
  query.recursion_desired = (header.flags & flag::kRecursionDesired) != 0;
  query.checking_disabled = (header.flags & flag::kCheckingDisabled) != 0;
  query.name = std::move(name->canonical);
  query.shown = std::move(name->shown);
  query.type = type;
  query.klass = klass;
  const ByteView question = message.subspan(kHeaderSize, reader.position() - kHeaderSize);
  query.question.assign(question.begin(), question.end());

  bool bad_version = false;
  for (std::uint16_t i = 0; i < additionals; ++i) {
    const std::size_t start = reader.position();
    if (!skip_name(reader)) return refuse(header, Rcode::kFormErr, "a broken record");
    const bool at_root = reader.position() == start + 1;
    const auto record = static_cast<Type>(reader.u16());
    const std::uint16_t udp_size = reader.u16();
    const std::uint32_t bits = reader.u32();
    const ByteView data = reader.after_u16();
    if (!reader.ok()) return refuse(header, Rcode::kFormErr, "a broken record");
    if (record != Type::kOpt) continue;  // a signature, say: nothing here could check it
    if (!at_root || query.edns || !options_are_whole(data))
      return refuse(header, Rcode::kFormErr, "a broken OPT record");
    query.edns = Edns{std::max<std::uint16_t>(udp_size, kSmallestUdp), (bits & kDnssecOk) != 0};
    bad_version = (bits >> 16U & 0xffU) != 0;
  }
  if (!reader.finished()) return refuse(header, Rcode::kFormErr, "bytes after the query");
  if (bad_version)
    return tl::unexpected(
        QueryProblem{"an unknown version of EDNS", answer_error(query, Transport::kUdp, Rcode::kBadVers)});
  return query;
}

Bytes framed(ByteView message) {
  Bytes out;
  out.reserve(message.size() + 2);
  put_u16(out, static_cast<std::uint16_t>(message.size()));
  out.insert(out.end(), message.begin(), message.end());
  return out;
}

TcpReader::State TcpReader::feed(ByteView& bytes) {
  if (state_ == State::kBroken) return state_;
  if (state_ == State::kMessage) buffer_.clear();
  state_ = State::kNeedMore;
  const auto take = [&](std::size_t wanted) {
    const ByteView piece = bytes.first(std::min(wanted - std::min(wanted, buffer_.size()), bytes.size()));
    buffer_.insert(buffer_.end(), piece.begin(), piece.end());
    bytes = bytes.subspan(piece.size());
  };
  take(2);
  if (buffer_.size() < 2) return state_;
  const std::size_t length = static_cast<std::size_t>(buffer_[0]) << 8U | buffer_[1];
  if (length == 0 || length > kMostQuery) {
    buffer_ = {};
    return state_ = State::kBroken;
  }
  take(2 + length);
  if (buffer_.size() == 2 + length) state_ = State::kMessage;
  return state_;
}

}  // namespace pinfold::net::dns
