// dns_message_test.cc: queries of real resolvers, broken ones, and every kind of answer read back.
// Not here: random bytes (fuzz/dns_message.cc), which names are granted.
#include "net/dns_message.h"

#include <gtest/gtest.h>

#include "net/dns_reply_reader.h"

namespace pinfold::net::dns {
namespace {

using namespace std::string_literals;

std::string u16(std::size_t n) { return {static_cast<char>(n >> 8U & 0xffU), static_cast<char>(n & 0xffU)}; }
std::string label(const std::string& text) { return static_cast<char>(text.size()) + text; }
std::string header(std::size_t flags, std::size_t questions, std::size_t additionals) {
  return u16(0x1234) + u16(flags) + u16(questions) + u16(0) + u16(0) + u16(additionals);
}
const std::string kName = label("API") + label("example") + label("org") + "\0"s;
std::string question(const std::string& name, Type type = Type::kA, std::size_t klass = 1) {
  return name + u16(static_cast<std::size_t>(type)) + u16(klass);
}
std::string opt(std::size_t size, std::size_t bits = 0, std::size_t version = 0, const std::string& options = "") {
  return "\0"s + u16(41) + u16(size) + '\0' + static_cast<char>(version) + u16(bits) + u16(options.size()) + options;
}
std::string ask(Type type) { return header(0x100, 1, 0) + question(kName, type); }
std::string ask_edns(Type type, std::size_t size) { return header(0x100, 1, 1) + question(kName, type) + opt(size); }

Query parsed(const std::string& message) {
  auto query = parse_query(as_bytes(message));
  if (query) return *query;
  ADD_FAILURE() << query.error().why;
  return {};
}
Reply reply_of(const Bytes& answer) {
  auto reply = read_reply(answer);
  EXPECT_TRUE(reply.has_value()) << "no whole answer";
  return reply.value_or(Reply{});
}
// "FORMERR: why", or "silence: why".
std::string problem(const std::string& message) {
  const auto query = parse_query(as_bytes(message));
  if (query) return "fine";
  if (query.error().reply.empty()) return "silence: " + std::string(query.error().why);
  const Reply reply = reply_of(query.error().reply);
  EXPECT_EQ(reply.id, 0x1234);
  EXPECT_TRUE(reply.flags & 0x8000U);
  const std::size_t extended = reply.additionals.empty() ? 0 : reply.additionals[0].ttl >> 24U;
  const char* names[] = {"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"};
  return (extended ? "BADVERS" : std::string(names[reply.rcode()])) + ": " + std::string(query.error().why);
}

TEST(DnsQuery, OfRealResolvers) {
  const struct {
    std::string bytes;
    std::string name;
    Type type;
    std::size_t udp_size;  // 0: no EDNS
  } rows[] = {
      // glibc 2.36, getent ahosts API.example.org
      {"\x01\xd0\x01\0\0\x01\0\0\0\0\0\0\x03"s + "API" + "\x07" + "example\x03org\0\0\x01\0\x01"s, "api.example.org",
       Type::kA, 0},
      // the same with edns0 and trust-ad
      {"\xcc\x42\x01\x20\0\x01\0\0\0\0\0\x01\x03"s + "api" + "\x07" +
           "example\x03org\0\0\x1c\0\x01\0\0)\x04\xb0\0\0\0\0\0\0"s,
       "api.example.org", Type::kAaaa, 1200},
      // c-ares in Node 20, resolveSrv
      {"\xb6\xc0\x01\0\0\x01\0\0\0\0\0\0\x05_http\x04_tcp\x07"s + "example\x03org\0\0!\0\x01"s,
       "_http._tcp.example.org", Type::kSrv, 0},
      // Go 1.19
      {"\x62\x59\x01\0\0\x01\0\0\0\0\0\x01\x03"s + "api" + "\x07" +
           "example\x03org\0\0\x1c\0\x01\0\0)\x04\xd0\0\0\0\0\0\0"s,
       "api.example.org", Type::kAaaa, 1232},
  };
  for (const auto& row : rows) {
    const Query query = parsed(row.bytes);
    EXPECT_EQ(query.name, row.name);
    EXPECT_EQ(query.type, row.type);
    EXPECT_EQ(query.klass, Class::kInternet);
    EXPECT_TRUE(query.recursion_desired);
    EXPECT_EQ(query.edns ? query.edns->udp_size : 0U, row.udp_size);
    for (std::size_t size = 0; size < row.bytes.size(); ++size)
      EXPECT_FALSE(parse_query(as_bytes(std::string_view(row.bytes).substr(0, size)))) << size;
  }
}

TEST(DnsQuery, RefusesInvalidNames) {
  const auto asked = [](const std::string& name) { return parsed(header(0, 1, 0) + question(name + '\0')); };
  EXPECT_EQ(asked(label("api.example.org")).name, std::nullopt) << "dots within a label";
  EXPECT_EQ(asked(label("api.example.org")).shown, "api\\046example\\046org");
  EXPECT_EQ(asked(label("api\0"s) + label("org")).shown, "api\\000.org");
  for (const std::string& odd : {"a\0"s, "\xff"s, "a b"s, "*"s, "a\\"s, "a."s, "."s, "\x7f"s})
    EXPECT_EQ(asked(label(odd) + label("example") + label("org")).name, std::nullopt) << odd;
  EXPECT_EQ(asked(label("127") + label("0") + label("0") + label("1")).name, std::nullopt);
  EXPECT_EQ(asked("").name, std::nullopt);
  EXPECT_EQ(asked("").shown, ".");
  EXPECT_EQ(asked(label(std::string(63, 'a')) + label("org")).name, std::string(63, 'a') + ".org");
  std::string longest;
  for (int i = 0; i < 127; ++i) longest += label("a");
  EXPECT_EQ(asked(longest).name->size(), 253U);
  EXPECT_EQ(problem(header(0, 1, 0) + question(longest + label("a") + '\0')), "FORMERR: a broken question");
}

TEST(DnsQuery, Broken) {
  EXPECT_EQ(problem(""), "silence: too short for a query");
  EXPECT_EQ(problem(header(0, 1, 0).substr(0, 11)), "silence: too short for a query");
  EXPECT_EQ(problem(header(0x8000, 1, 0) + question(kName)), "silence: an answer, not a query");
  for (const std::size_t opcode : {1U, 2U, 4U, 5U, 15U})
    EXPECT_EQ(problem(header(opcode << 11U, 1, 0) + question(kName)), "NOTIMP: an unknown operation");
  EXPECT_EQ(problem(header(0x200, 1, 0) + question(kName)), "FORMERR: a truncated query");
  EXPECT_EQ(problem(header(0, 0, 0)), "FORMERR: not one question");
  EXPECT_EQ(problem(header(0, 2, 0) + question(kName) + question(kName)), "FORMERR: not one question");
  EXPECT_EQ(problem(header(0, 65535, 0) + question(kName)), "FORMERR: not one question");
  EXPECT_EQ(problem(header(0, 1, 65535) + question(kName)), "FORMERR: not one question");
  EXPECT_EQ(problem(header(0, 1, 0) + question("\xc0\x0c")), "FORMERR: a broken question") << "points to itself";
  EXPECT_EQ(problem(header(0, 1, 0) + question("\x01" + "a\xc0\x0c"s)), "FORMERR: a broken question");
  EXPECT_EQ(problem(header(0, 1, 0) + question("\x41" + "a\0"s)), "FORMERR: a broken question");
  EXPECT_EQ(problem(header(0, 1, 0) + question(kName) + "x"), "FORMERR: bytes after the query");
  EXPECT_EQ(problem(header(0, 1, 0) + question(kName) + std::string(4096, 'x')), "FORMERR: too long for a query");
  EXPECT_EQ(problem(header(0, 1, 1) + question(kName)), "FORMERR: a broken record");
  EXPECT_EQ(problem(header(0, 1, 1) + question(kName) + "\xc0\xff" + std::string(10, '\0')),
            "FORMERR: a broken record");
  EXPECT_EQ(problem(header(0, 1, 1) + question(kName) + "\xc0\x02" + std::string(10, '\0')),
            "FORMERR: a broken record");
}

TEST(DnsQuery, Edns) {
  const std::string asked = header(0, 1, 1) + question(kName);
  EXPECT_EQ(parsed(asked + opt(4096, 0x8000)).edns->udp_size, 4096);
  EXPECT_TRUE(parsed(asked + opt(4096, 0x8000)).edns->dnssec_ok);
  EXPECT_FALSE(parsed(asked + opt(4096)).edns->dnssec_ok);
  EXPECT_EQ(parsed(asked + opt(0)).edns->udp_size, 512);
  EXPECT_EQ(parsed(asked + opt(1232, 0, 0, u16(10) + u16(8) + "cookie!!")).edns->udp_size, 1232);
  EXPECT_EQ(problem(asked + opt(1232, 0, 0, u16(10) + u16(9) + "cookie!!")), "FORMERR: a broken OPT record");
  EXPECT_EQ(problem(asked + "\x01" + "a" + opt(1232)), "FORMERR: a broken OPT record");
  EXPECT_EQ(problem(header(0, 1, 2) + question(kName) + opt(1232) + opt(1232)), "FORMERR: a broken OPT record");
  EXPECT_EQ(problem(asked + opt(1232, 0, 1)), "BADVERS: an unknown version of EDNS");
  // A signature is passed over.
  const std::string tsig = "\xc0\x0c" + u16(250) + u16(255) + std::string(6, '\0');
  EXPECT_EQ(problem(header(0, 1, 2) + question(kName) + opt(1232) + tsig), "fine");
}

TEST(DnsAnswer, Addresses) {
  const std::vector<Ipv4> two{{198, 18, 0, 1}, {198, 18, 0, 2}};
  const Query query = parsed(ask(Type::kA));
  const Reply reply = reply_of(answer_a(query, Transport::kUdp, two, 60));
  EXPECT_EQ(reply.id, 0x1234);
  EXPECT_EQ(reply.flags, 0x8180) << "an answer, recursion asked for and available";
  EXPECT_EQ(as_text(reply.question), question(kName)) << "in the case of the query";
  ASSERT_EQ(reply.answers.size(), 2U);
  EXPECT_EQ(reply.answers[1].name, "API.example.org");
  EXPECT_EQ(reply.answers[1].type, 1);
  EXPECT_EQ(reply.answers[1].klass, 1);
  EXPECT_EQ(reply.answers[1].ttl, 60U);
  EXPECT_EQ(reply.answers[1].data, (Bytes{198, 18, 0, 2}));
  EXPECT_TRUE(reply.additionals.empty());

  const std::vector<Ipv6> six{{0xfd, 1}};
  const Reply other = reply_of(answer_aaaa(parsed(ask_edns(Type::kAaaa, 4096)), Transport::kUdp, six, 60));
  ASSERT_EQ(other.answers.size(), 1U);
  EXPECT_EQ(other.answers[0].type, 28);
  EXPECT_EQ(other.answers[0].data, Bytes(six[0].begin(), six[0].end()));
  ASSERT_EQ(other.additionals.size(), 1U);
  EXPECT_EQ(other.additionals[0].type, 41);
  EXPECT_EQ(other.additionals[0].klass, kUdpSize);
}

TEST(DnsAnswer, Services) {
  const std::vector<Service> services{{1, 2, 443, "api.example.org"}};
  const Reply reply = reply_of(answer_srv(parsed(ask(Type::kSrv)), Transport::kUdp, services, 60));
  ASSERT_EQ(reply.answers.size(), 1U);
  EXPECT_EQ(as_text(reply.answers[0].data),
            u16(1) + u16(2) + u16(443) + label("api") + label("example") + label("org") + '\0');
  const std::vector<Service> wrong{{1, 2, 443, "a..b"}};
  EXPECT_EQ(reply_of(answer_srv(parsed(ask(Type::kSrv)), Transport::kUdp, wrong, 60)).rcode(), 2U);
}

TEST(DnsAnswer, Nothing) {
  const Query query = parsed(ask(Type::kHttps));
  for (const Bytes& answer : {answer_empty(query, Transport::kUdp, 30), answer_no_such_name(query, Transport::kUdp, 30),
                              answer_a(query, Transport::kUdp, {}, 30)}) {
    const Reply reply = reply_of(answer);
    EXPECT_TRUE(reply.answers.empty());
    ASSERT_EQ(reply.authorities.size(), 1U) << "an SOA, or clients do not cache it";
    EXPECT_EQ(reply.authorities[0].type, 6);
    EXPECT_EQ(reply.authorities[0].ttl, 30U);
    EXPECT_EQ(Bytes(reply.authorities[0].data.end() - 4, reply.authorities[0].data.end()), (Bytes{0, 0, 0, 30}));
  }
  EXPECT_EQ(reply_of(answer_empty(query, Transport::kUdp, 30)).rcode(), 0U);
  EXPECT_EQ(reply_of(answer_no_such_name(query, Transport::kUdp, 30)).rcode(), 3U);
}

TEST(DnsAnswer, ErrorsCarryAReasonIfTheClientSupportsEdns) {
  const std::string why = "api.example.org is not granted; --net api.example.org";
  const Reply plain = reply_of(answer_error(parsed(ask(Type::kA)), Transport::kUdp, Rcode::kRefused, why));
  EXPECT_EQ(plain.rcode(), 5U);
  EXPECT_TRUE(plain.additionals.empty());
  const Query query = parsed(ask_edns(Type::kA, 1232));
  const Reply edns = reply_of(answer_error(query, Transport::kUdp, Rcode::kRefused, why));
  ASSERT_EQ(edns.additionals.size(), 1U);
  EXPECT_EQ(as_text(edns.additionals[0].data), u16(15) + u16(2 + why.size()) + u16(18) + why);
  std::string umlauts;
  while (umlauts.size() < 1000) umlauts += "a\xc3\xbc";
  const Bytes cut = answer_error(query, Transport::kUdp, Rcode::kRefused, umlauts);
  const Bytes data = reply_of(cut).additionals[0].data;
  EXPECT_LE(data.size(), 206U);
  EXPECT_NE(data.back(), 0xc3) << "not within a character";
}

TEST(DnsAnswer, TruncatesWholeSections) {
  const std::vector<Ipv4> many(100, Ipv4{198, 18, 0, 1});
  const Query small = parsed(ask(Type::kA));
  const Bytes cut = answer_a(small, Transport::kUdp, many, 60);
  EXPECT_LE(cut.size(), 512U);
  EXPECT_TRUE(reply_of(cut).truncated());
  EXPECT_TRUE(reply_of(cut).answers.empty());
  EXPECT_EQ(reply_of(answer_a(small, Transport::kTcp, many, 60)).answers.size(), 100U);
  const Query large = parsed(ask_edns(Type::kA, 65535));
  EXPECT_TRUE(reply_of(answer_a(large, Transport::kUdp, many, 60)).truncated()) << "beyond our own size";
  const std::vector<Ipv4> some(60, Ipv4{198, 18, 0, 1});
  EXPECT_EQ(reply_of(answer_a(large, Transport::kUdp, some, 60)).answers.size(), 60U);
  for (const std::size_t count : {4200U, 6000U, 100000U}) {
    const Reply reply = reply_of(answer_a(large, Transport::kTcp, std::vector<Ipv4>(count, Ipv4{1}), 60));
    EXPECT_EQ(reply.answers.size(), 0U) << "more than a message holds";
    EXPECT_EQ(reply.rcode(), 2U);
  }
  EXPECT_EQ(reply_of(answer_a(large, Transport::kTcp, std::vector<Ipv4>(4000, Ipv4{1}), 60)).answers.size(), 4000U);
}

TEST(DnsTcp, Messages) {
  const std::string one = ask(Type::kA);
  const std::string two = ask_edns(Type::kAaaa, 1232);
  const auto frame = [](const std::string& message) { return std::string(as_text(framed(as_bytes(message)))); };
  const std::string stream = frame(one) + frame(two) + frame(one);
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    TcpReader reader;
    std::vector<std::string> got;
    for (std::size_t i = 0; i < stream.size(); i += piece)
      for (ByteView bytes = as_bytes(std::string_view(stream).substr(i, piece)); !bytes.empty();)
        if (reader.feed(bytes) == TcpReader::State::kMessage) got.emplace_back(as_text(reader.message()));
    EXPECT_EQ(got, (std::vector<std::string>{one, two, one})) << piece;
  }
  for (const std::string& broken : {u16(0), u16(4097), u16(65535)}) {
    TcpReader reader;
    ByteView bytes = as_bytes(broken);
    EXPECT_EQ(reader.feed(bytes), TcpReader::State::kBroken);
    bytes = as_bytes(stream);
    EXPECT_EQ(reader.feed(bytes), TcpReader::State::kBroken) << "for good";
  }
}

}  // namespace
}  // namespace pinfold::net::dns
