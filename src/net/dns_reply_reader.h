// dns_reply_reader.h: parses DNS answers, for tests and fuzzers only.
// Invariant: strict: a pointer that does not go backwards, or a byte too many, and there is no answer.
// Not here: anything that a program outside tests should include; names outside are resolved by c-ares.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/dns_message.h"

namespace pinfold::net::dns {

struct ReplyRecord {
  std::string name;  // labels joined by dots; "" is the root
  std::uint16_t type = 0;
  std::uint16_t klass = 0;
  std::uint32_t ttl = 0;
  Bytes data;
};

struct Reply {
  std::uint16_t id = 0;
  std::uint16_t flags = 0;
  std::uint16_t questions = 0;
  Bytes question;
  std::vector<ReplyRecord> answers;
  std::vector<ReplyRecord> authorities;
  std::vector<ReplyRecord> additionals;

  unsigned rcode() const { return flags & 0xfU; }
  bool truncated() const { return (flags & 0x200U) != 0; }
};

inline std::optional<std::string> read_reply_name(ByteView message, std::size_t& at) {
  std::string name;
  std::size_t here = at;
  bool jumped = false;
  while (true) {
    if (here >= message.size()) return std::nullopt;
    const std::size_t length = message[here];
    if (length >= 0xc0) {
      if (here + 1 >= message.size()) return std::nullopt;
      const std::size_t target = (length & 0x3fU) << 8U | message[here + 1];
      if (!jumped) at = here + 2;
      if (target >= here || jumped) return std::nullopt;  // ours point once, to the question
      jumped = true;
      here = target;
      continue;
    }
    if (length > 63 || here + 1 + length > message.size()) return std::nullopt;
    if (length == 0) break;
    if (!name.empty()) name += '.';
    name += as_text(message.subspan(here + 1, length));
    here += 1 + length;
  }
  if (!jumped) at = here + 1;
  return name;
}

inline std::optional<Reply> read_reply(ByteView message) {
  ByteReader header(message);
  Reply reply;
  reply.id = header.u16();
  reply.flags = header.u16();
  reply.questions = header.u16();
  const std::size_t counts[] = {header.u16(), header.u16(), header.u16()};
  if (!header.ok() || reply.questions > 1) return std::nullopt;
  std::size_t at = header.position();
  if (reply.questions == 1) {
    const std::size_t start = at;
    if (!read_reply_name(message, at) || at + 4 > message.size()) return std::nullopt;
    at += 4;
    reply.question.assign(message.begin() + static_cast<std::ptrdiff_t>(start),
                          message.begin() + static_cast<std::ptrdiff_t>(at));
  }
  std::vector<ReplyRecord>* const sections[] = {&reply.answers, &reply.authorities, &reply.additionals};
  for (std::size_t section = 0; section < 3; ++section)
    for (std::size_t i = 0; i < counts[section]; ++i) {
      const auto name = read_reply_name(message, at);
      if (!name) return std::nullopt;
      ByteReader rest(message.subspan(at));
      ReplyRecord record{*name, rest.u16(), rest.u16(), rest.u32(), {}};
      const ByteView data = rest.after_u16();
      if (!rest.ok()) return std::nullopt;
      record.data.assign(data.begin(), data.end());
      at += rest.position();
      sections[section]->push_back(std::move(record));
    }
  if (at != message.size()) return std::nullopt;
  return reply;
}

}  // namespace pinfold::net::dns
