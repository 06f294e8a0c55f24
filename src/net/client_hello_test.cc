// client_hello_test.cc: hellos of real clients, and hellos that two servers could read differently.
// Invariant: every hello is read whole, byte by byte and in uneven pieces, with one outcome.
// Not here: OpenSSL's reading of the same bytes (tests/parser_differential), random bytes (fuzz/client_hello.cc).
#include "net/client_hello.h"

#include <gtest/gtest.h>

#include "net/captured_hellos.h"

namespace pinfold::net {
namespace {

using State = ClientHelloReader::State;
using Ech = ClientHello::Ech;

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

ClientHelloReader read(std::string_view bytes) {
  ClientHelloReader whole;
  whole.feed(as_bytes(bytes));
  for (const std::size_t piece : {1U, 2U, 5U, 7U, 100U, 517U}) {
    ClientHelloReader cut;
    for (std::size_t i = 0; i < bytes.size(); i += piece) cut.feed(as_bytes(bytes.substr(i, piece)));
    EXPECT_EQ(cut.state(), whole.state()) << "in pieces of " << piece;
    EXPECT_EQ(cut.hello(), whole.hello()) << "in pieces of " << piece;
    EXPECT_EQ(cut.problem(), whole.problem()) << "in pieces of " << piece;
  }
  return whole;
}

// ---- hellos made by hand ----

std::string u8(std::size_t n) { return {static_cast<char>(n & 0xffU)}; }
std::string u16(std::size_t n) { return u8(n >> 8U) + u8(n); }
std::string u24(std::size_t n) { return u8(n >> 16U) + u16(n); }
std::string extension(std::size_t type, const std::string& data) { return u16(type) + u16(data.size()) + data; }
std::string name_entry(const std::string& name, std::size_t kind = 0) { return u8(kind) + u16(name.size()) + name; }
std::string names(const std::string& entries) { return extension(0, u16(entries.size()) + entries); }
std::string sni(const std::string& name) { return names(name_entry(name)); }
std::string message(const std::string& body) { return u8(1) + u24(body.size()) + body; }
std::string body(const std::string& rest) {
  return "\x03\x03" + std::string(32, 'r') + u8(0) + u16(2) + "\x13\x01" + u8(1) + u8(0) + rest;
}
std::string with(const std::string& extensions) { return message(body(u16(extensions.size()) + extensions)); }
std::string record(const std::string& data, std::size_t minor = 1) {
  return "\x16\x03" + u8(minor) + u16(data.size()) + data;
}
std::string records(const std::string& data, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < data.size(); i += size) out += record(data.substr(i, size));
  return out;
}
std::string hello(const std::string& extensions) { return record(with(extensions)); }

std::string name_of(const std::string& bytes) {
  const auto reader = read(bytes);
  if (reader.state() == State::kNeedMore) return "(more)";
  if (reader.state() != State::kHello) return "(" + std::string(reader.problem()) + ")";
  return reader.hello().sni ? reader.hello().sni->text : "(none)";
}

TEST(ClientHello, OfRealClients) {
  const struct {
    std::string_view hex;
    std::string name;
    std::vector<std::string> alpn;
  } rows[] = {
      {captured::kOpensslTls13, "api.example.org", {}},
      {captured::kOpensslTls12, "api.example.org", {}},
      {captured::kOpensslTls10, "api.example.org", {}},
      {captured::kOpensslNoName, "(none)", {}},
      {captured::kCurlTls, "api.example.org", {"h2", "http/1.1"}},
      {captured::kPythonAlpn, "api.example.org", {"h2", "http/1.1"}},
      {captured::kNodeTls, "api.example.org", {"h2", "http/1.1"}},
      {captured::kGoTls, "api.example.org", {"h2", "http/1.1"}},
      {captured::kJavaTls, "api.example.org", {}},
      {captured::kWgetGnutls, "localhost", {}},
  };
  for (const auto& row : rows) {
    const std::string bytes = from_hex(row.hex);
    EXPECT_EQ(name_of(bytes), row.name) << row.hex;
    EXPECT_EQ(read(bytes).hello().alpn, row.alpn) << row.hex;
    EXPECT_EQ(read(bytes).hello().ech, Ech::kAbsent);
    // The bytes after the hello are not read; missing bytes are waited for.
    EXPECT_EQ(name_of(bytes + std::string(5000, '\xff')), row.name);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ClientHelloReader early;
      EXPECT_EQ(early.feed(as_bytes(std::string_view(bytes).substr(0, size))), State::kNeedMore);
    }
  }
}

TEST(ClientHello, InSeveralRecords) {
  const std::string real = from_hex(captured::kOpensslManyRecords);
  EXPECT_EQ(name_of(real), "api.example.org");
  EXPECT_EQ(read(real).hello().alpn.size(), ClientHello::kMostProtocols);
  EXPECT_EQ(read(real).hello().alpn.front(), "p000");

  const std::string made = with(sni("api.example.org") + extension(21, std::string(300, '\0')));
  for (std::size_t size = 1; size < 40; ++size) EXPECT_EQ(name_of(records(made, size)), "api.example.org");
  EXPECT_EQ(name_of(records(made, 20).insert(25, "\x15\x03\x01\x00\x02\x01\x00", 7)),
            "(another record interrupts the hello)");
  EXPECT_EQ(name_of(records(made, 20).insert(25, "\x16\x03\x01\x00\x00", 5)), "(an empty record)");
}

TEST(ClientHello, GreaseAndEch) {
  const std::string grease = extension(0x0a0a, "") + extension(0xfafa, "x");
  const std::string protocols = extension(16, u16(6) + "\x02\x0a\x0a\x02h2");
  const std::string bytes = hello(extension(0x1a1a, "") + protocols + extension(0xfe0d, std::string(40, '\0')) +
                                  grease + sni("public.example"));
  EXPECT_EQ(name_of(bytes), "public.example");
  EXPECT_EQ(read(bytes).hello().ech, Ech::kPresent);
  EXPECT_EQ(read(bytes).hello().alpn, (std::vector<std::string>{"\x0a\x0a", "h2"}));
  EXPECT_EQ(name_of(hello(extension(0xfe0d, "\x01") + sni("public.example"))),
            "(an inner encrypted hello in the clear)");
  EXPECT_EQ(read(hello(extension(0xffce, "x"))).hello().ech, Ech::kPresent);
}

TEST(ClientHello, Names) {
  EXPECT_EQ(name_of(hello(sni("API.Example.ORG"))), "api.example.org");
  EXPECT_EQ(name_of(hello(sni("api.example.org."))), "api.example.org");
  EXPECT_EQ(name_of(hello(sni("xn--bcher-kva.example"))), "xn--bcher-kva.example");
  EXPECT_EQ(name_of(hello(sni("my_bucket.example"))), "my_bucket.example");
  EXPECT_EQ(name_of(hello("")), "(none)");
  EXPECT_EQ(name_of(record(message(body("")))), "(none)");  // TLS 1.0 without extensions
  EXPECT_EQ(name_of(hello(sni("10.1.2.3"))), "10.1.2.3");
  EXPECT_EQ(read(hello(sni("10.1.2.3"))).hello().sni->kind, HostText::Kind::kIpv4);

  using namespace std::string_literals;
  for (const std::string& name : {"evil.example\0.api.example.org"s,
                                  "api.example.org\0"s,
                                  "b\xc3\xbc"s + "cher.example",
                                  "api example.org"s,
                                  "api.example.org\r\n"s,
                                  "api..example.org"s,
                                  ".api.example.org"s,
                                  "api.example.org.."s,
                                  "."s,
                                  "*.example.org"s,
                                  "api.example.org:443"s,
                                  "::1"s,
                                  "[::1]"s,
                                  "127.1"s,
                                  "0x7f.1"s,
                                  "2130706433"s,
                                  "010.1.2.3"s,
                                  "1.2.3.4.5"s,
                                  std::string(64, 'a') + ".example",
                                  std::string(252, 'a')})
    EXPECT_EQ(name_of(hello(sni(name))), "(the server name is no host name)") << name;
  EXPECT_EQ(name_of(hello(sni(std::string(256, 'a')))), "(the server name is too long)");
  EXPECT_EQ(name_of(hello(sni(""))), "(an empty server name)");
}

TEST(ClientHello, RefusesAmbiguousForms) {
  EXPECT_EQ(name_of(hello(sni("a.example") + sni("b.example"))), "(an extension comes twice)");
  EXPECT_EQ(name_of(hello(sni("a.example") + sni("a.example"))), "(an extension comes twice)");
  EXPECT_EQ(name_of(hello(names(name_entry("a.example") + name_entry("b.example")))), "(more than one server name)");
  EXPECT_EQ(name_of(hello(names(name_entry("x", 1) + name_entry("b.example")))), "(more than one server name)");
  EXPECT_EQ(name_of(hello(names(name_entry("a.example", 7)))), "(a server name of an unknown kind)");
  EXPECT_EQ(name_of(hello(extension(0, ""))), "(the server name extension has a wrong length)");
  EXPECT_EQ(name_of(hello(extension(0, u16(0)))), "(the server name extension has a wrong length)");
  EXPECT_EQ(name_of(hello(extension(0, u16(12) + name_entry("a.example") + "x"))),
            "(the server name extension has a wrong length)");
  EXPECT_EQ(name_of(hello(extension(16, ""))), "(the list of protocols has a wrong length)");
  EXPECT_EQ(name_of(hello(extension(16, u16(1) + u8(0)))), "(the list of protocols has a wrong length)");
  EXPECT_EQ(name_of(record(with(sni("a.example")) + "x")), "(the record goes on after the hello)");
  EXPECT_EQ(name_of(record(with(sni("a.example")) + with(sni("b.example")))), "(the record goes on after the hello)");
  EXPECT_EQ(name_of(record(message(body(u16(5) + "abc")))), "(the extensions have a wrong length)");
  EXPECT_EQ(name_of(record(message(body(u16(0) + "abc")))), "(the extensions have a wrong length)");
  EXPECT_EQ(name_of(hello("\x01\x02\x03")), "(an extension is cut short)");
  EXPECT_EQ(name_of(record(message("\x03\x03"))), "(the hello is cut short)");
  EXPECT_EQ(name_of(record("\x02" + with("").substr(1))), "(the first message is no hello)");
  EXPECT_EQ(name_of(record(message("\x02\x03" + body("").substr(2)))), "(a hello of an unknown version)");
  EXPECT_EQ(name_of(record(with(sni("a.example")), 9)), "(a record of an unknown version)");
}

TEST(ClientHello, NotTls) {
  const std::string sslv2 = from_hex("802e0301030100150000001000000a") + std::string(40, 'x');
  for (const std::string& bytes : {sslv2, std::string("GET / HTTP/1.1\r\n"), std::string("SSH-2.0-x\r\n"),
                                   std::string("\x16\x16"), std::string(4, '\0')}) {
    const auto reader = read(bytes);
    EXPECT_EQ(reader.state(), State::kNotTls) << bytes;
  }
  EXPECT_EQ(read(sslv2).problem(), "no TLS; perhaps an SSLv2 hello");
  ClientHelloReader one;
  EXPECT_EQ(one.feed(as_bytes("G")), State::kNotTls) << "known at once, without more bytes";
}

TEST(ClientHello, Bounds) {
  std::string pad;
  for (std::size_t i = 0; i < 3; ++i) pad += extension(0x4000 + i, std::string(20000, 'p'));
  EXPECT_EQ(name_of(records(with(sni("a.example") + pad), 16384)), "a.example") << "nearly 64 KiB are read";
  EXPECT_EQ(name_of(records(with(sni("a.example") + pad), 8)), "(the hello is too long)") << "headers count, too";
  EXPECT_EQ(name_of(record(u8(1) + u24(0x10000))), "(the hello is too long)");
  EXPECT_EQ(name_of("\x16\x03\x01" + u16(16385)), "(the record is too long)");
  EXPECT_EQ(name_of(record(u8(1) + u24(60000))), "(more)");
}

}  // namespace
}  // namespace pinfold::net
