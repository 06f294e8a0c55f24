// client_hello.cc: records → handshake message → extensions (RFC 8446, RFC 6066, RFC 7301).
// Invariant: where implementations differ in their tolerance (several names, repeated extensions, empty records,
// something after the hello in its record) the hello is malformed. Not here: ciphers, versions, keys.
#include "net/client_hello.h"

#include <algorithm>
#include <bitset>

namespace pinfold::net {
namespace {

constexpr std::uint8_t kHandshakeRecord = 22;
constexpr std::uint8_t kClientHello = 1;
constexpr std::uint8_t kHostName = 0;
constexpr std::uint8_t kOuterHello = 0;
constexpr std::size_t kMessageHeader = 4;
constexpr std::size_t kLongestRecord = 16384;
constexpr std::size_t kLongestName = 255;

enum Extension : std::uint16_t { kServerName = 0, kAlpn = 16, kEncryptedName = 0xffce, kEncryptedHello = 0xfe0d };

// Empty, or the problem; the same for all functions here that return text.
std::string_view read_server_name(ByteView data, std::optional<HostText>& sni) {
  ByteReader outer(data);
  ByteReader list(outer.after_u16());
  if (!outer.finished()) return "the server name extension has a wrong length";
  const std::uint8_t kind = list.u8();
  const ByteView name = list.after_u16();
  if (!list.ok()) return "the server name extension has a wrong length";
  // RFC 6066 forbids two names of a kind and defines one kind; some servers take the first and some the last.
  if (list.left() > 0) return "more than one server name";
  if (kind != kHostName) return "a server name of an unknown kind";
  if (name.empty()) return "an empty server name";
  if (name.size() > kLongestName) return "the server name is too long";
  sni = parse_host(as_text(name));
  return sni ? "" : "the server name is no host name";
}

std::string_view read_protocols(ByteView data, std::vector<std::string>& protocols) {
  ByteReader outer(data);
  ByteReader list(outer.after_u16());
  if (!outer.finished() || list.left() == 0) return "the list of protocols has a wrong length";
  while (list.left() > 0) {
    const ByteView protocol = list.after_u8();
    if (!list.ok() || protocol.empty()) return "the list of protocols has a wrong length";
    if (protocols.size() < ClientHello::kMostProtocols) protocols.emplace_back(as_text(protocol));
  }
  return {};
}

}  // namespace

ClientHelloReader::State ClientHelloReader::feed(ByteView bytes) {
  while (state_ == State::kNeedMore && !bytes.empty()) {
    if (header_size_ < header_.size()) {
      bytes = read_header(bytes);
      continue;
    }
    const ByteView fragment = bytes.first(std::min(record_left_, bytes.size()));
    bytes = bytes.subspan(fragment.size());
    record_left_ -= fragment.size();
    total_ += fragment.size();
    if (total_ > kMostBytes)
      end(State::kMalformed, "the hello is too long");
    else
      read_fragment(fragment);
    if (record_left_ == 0) header_size_ = 0;
  }
  return state_;
}

// Takes one byte of a record's header; each is checked when it arrives, so that other protocols are recognised at once.
ByteView ClientHelloReader::read_header(ByteView bytes) {
  const std::uint8_t byte = bytes.front();
  const bool first = total_ < header_.size();
  if (++total_ > kMostBytes) {
    end(State::kMalformed, "the hello is too long");
    return {};
  }
  header_[header_size_++] = byte;
  if (header_size_ == 1 && byte != kHandshakeRecord) {
    if (!first)
      end(State::kMalformed, "another record interrupts the hello");
    else
      end(State::kNotTls, (byte & 0x80U) != 0 ? "no TLS; perhaps an SSLv2 hello" : "no TLS");
  } else if (header_size_ == 2 && byte != 3) {
    end(first ? State::kNotTls : State::kMalformed, first ? "no TLS" : "the version changes within the hello");
  } else if (header_size_ == 3 && byte > 4) {
    end(State::kMalformed, "a record of an unknown version");
  } else if (header_size_ == header_.size()) {
    record_left_ = static_cast<std::size_t>(header_[3]) << 8U | header_[4];
    // RFC 8446, 5.1: no empty fragments of handshake messages, and no plain text beyond 2^14.
    if (record_left_ == 0) end(State::kMalformed, "an empty record");
    if (record_left_ > kLongestRecord) end(State::kMalformed, "the record is too long");
  }
  return bytes.subspan(1);
}

void ClientHelloReader::read_fragment(ByteView fragment) {
  ByteView message = fragment;
  const auto measured = [&]() -> std::optional<std::size_t> {
    ByteReader header(message);
    if (header.u8() != kClientHello) {
      end(State::kMalformed, "the first message is no hello");
      return std::nullopt;
    }
    const std::size_t size = kMessageHeader + header.u24();
    if (!header.ok()) return std::nullopt;
    if (size > kMostBytes) {
      end(State::kMalformed, "the hello is too long");
      return std::nullopt;
    }
    return size;
  };

  std::optional<std::size_t> size;
  if (message_.empty()) size = measured();
  if (state_ != State::kNeedMore) return;
  if (!size || *size > fragment.size()) {
    message_.insert(message_.end(), fragment.begin(), fragment.end());
    message = message_;
    size = measured();
    if (!size || *size > message.size()) return;
  }
  // Keys may change after the hello, so nothing else belongs into its record.
  if (message.size() > *size || record_left_ > 0) return end(State::kMalformed, "the record goes on after the hello");
  read_hello(message.subspan(kMessageHeader));
  message_ = {};
}

void ClientHelloReader::read_hello(ByteView body) {
  ByteReader reader(body);
  const std::uint16_t version = reader.u16();
  reader.take(32);  // random
  const ByteView session = reader.after_u8();
  const ByteView ciphers = reader.after_u16();
  const ByteView compressions = reader.after_u8();
  if (!reader.ok()) return end(State::kMalformed, "the hello is cut short");
  if (version >> 8U != 3) return end(State::kMalformed, "a hello of an unknown version");
  if (session.size() > 32) return end(State::kMalformed, "the session id is too long");
  if (ciphers.empty() || ciphers.size() % 2 != 0)
    return end(State::kMalformed, "the list of ciphers has a wrong length");
  if (compressions.empty()) return end(State::kMalformed, "the list of compressions has a wrong length");
  if (reader.left() > 0) {  // TLS 1.0 allows none at all
    ByteReader extensions(reader.after_u16());
    if (!reader.finished()) return end(State::kMalformed, "the extensions have a wrong length");
    std::bitset<65536> seen;
    while (extensions.left() > 0) {
      const std::uint16_t type = extensions.u16();
      const ByteView data = extensions.after_u16();
      if (!extensions.ok()) return end(State::kMalformed, "an extension is cut short");
      if (seen[type]) return end(State::kMalformed, "an extension comes twice");
      seen.set(type);
      const std::string_view problem = read_extension(type, data);
      if (!problem.empty()) return end(State::kMalformed, problem);
    }
  }
  end(State::kHello, {});
}

std::string_view ClientHelloReader::read_extension(std::uint16_t type, ByteView data) {
  switch (type) {
    case kServerName: return read_server_name(data, hello_.sni);
    case kAlpn: return read_protocols(data, hello_.alpn);
    case kEncryptedHello:
      // The inner form exists only behind the server that decrypts; a client must not send it in the clear.
      if (data.empty() || data.front() != kOuterHello) return "an inner encrypted hello in the clear";
      hello_.ech = ClientHello::Ech::kPresent;
      return {};
    case kEncryptedName:  // ESNI, the predecessor of ECH
      hello_.ech = ClientHello::Ech::kPresent;
      return {};
    default:  // GREASE among them
      return {};
  }
}

void ClientHelloReader::end(State state, std::string_view problem) {
  state_ = state;
  problem_ = problem;
  if (state == State::kHello) return;
  hello_ = {};
  message_ = {};
}

}  // namespace pinfold::net
