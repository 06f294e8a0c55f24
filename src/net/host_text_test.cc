// host_text_test.cc: which texts are hosts, and that there is one form of each.
// Not here: SNI and Host around them (client_hello_test.cc, http_host_test.cc).
#include "net/host_text.h"

#include <gtest/gtest.h>

#include "base/property.h"

namespace pinfold::net {
namespace {

using namespace std::string_literals;

std::string wire_name(std::string_view text) { return canonical_wire_name(text).value_or("(no)"); }

TEST(HostText, Names) {
  EXPECT_EQ(wire_name("Example.ORG."), "example.org");
  EXPECT_EQ(wire_name("localhost"), "localhost");
  EXPECT_EQ(wire_name("_http._tcp.example.org"), "_http._tcp.example.org");
  EXPECT_EQ(wire_name("r4---sn-x.example"), "r4---sn-x.example");
  EXPECT_EQ(wire_name("1.2.3.4.in-addr.arpa"), "1.2.3.4.in-addr.arpa");
  EXPECT_EQ(wire_name("0xg"), "0xg");
  EXPECT_EQ(wire_name(std::string(63, 'a') + ".b"), std::string(63, 'a') + ".b");
  std::string longest;
  for (int i = 0; i < 126; ++i) longest += "a.";
  EXPECT_EQ(wire_name(longest + "b"), longest + "b");
  EXPECT_EQ(wire_name(longest + "b."), longest + "b");
  EXPECT_EQ(wire_name(longest + "bc"), "(no)");
  for (const std::string& text : {""s,     "."s,        ".."s,   "a..b"s,  ".a"s,    "a.."s,     std::string(64, 'a'),
                                  "a b"s,  "a\0b"s,     "a\0"s,  "a\xff"s, "a\x7f"s, "*.a"s,     "a%41"s,
                                  "a:1"s,  "a/b"s,      "a\\b"s, "1"s,     "127.1"s, "1.2.3.4"s, "a.1"s,
                                  "0x7f"s, "0X7F.0x1"s, "a.0x"s})
    EXPECT_EQ(wire_name(text), "(no)") << text;
}

TEST(HostText, Addresses) {
  const auto shown = [](std::string_view text) -> std::string {
    const auto parsed = parse_host_port(text);
    if (!parsed) return "(no)";
    const char* kinds[] = {"name ", "v4 ", "v6 "};
    return kinds[static_cast<int>(parsed->host.kind)] + parsed->host.text +
           (parsed->port ? " " + std::to_string(*parsed->port) : "");
  };
  EXPECT_EQ(shown("127.0.0.1"), "v4 127.0.0.1");
  EXPECT_EQ(shown("255.255.255.255:65535"), "v4 255.255.255.255 65535");
  EXPECT_EQ(shown("[::1]:1"), "v6 ::1 1");
  EXPECT_EQ(shown("[0:0:0:0:0:FFFF:1.2.3.4]"), "v4 1.2.3.4");
  EXPECT_EQ(shown("[2001:0db8:0:0:0:0:0:1]"), "v6 2001:db8::1");
  EXPECT_EQ(shown("a.example:443"), "name a.example 443");
  for (const std::string& text : {"127.0.0.1."s, "127.0.0.256"s, "127.0.0.1\0"s, "[::1\0]"s, "[::1]\0"s, "01.2.3.4"s,
                                  " 1.2.3.4"s, "[ ::1]"s, "]"s, "[]"s, ":80"s, "[1.2.3.4]"s, "[::1%lo]"s, "[::1]:"s,
                                  "[a.example]"s, "a:1:2"s, "a:99999999999999999999"s, "a:-1"s})
    EXPECT_EQ(shown(text), "(no)") << text;
}

TEST(HostText, Properties) {
  EXPECT_EQ(holds("canonical text does not change, and case and a last dot make no difference", 500,
                  [] {
                    std::string text;
                    const std::vector<std::string> pieces{"a",  "Z", "9",   "-", "_",    ".",
                                                          "0x", "f", "org", ":", "\xc3", "*"};
                    for (int i = *rc::gen::inRange(0, 12); i > 0; --i) text += *rc::gen::elementOf(pieces);
                    const auto name = canonical_wire_name(text);
                    if (!name) return;
                    RC_ASSERT(canonical_wire_name(*name) == name);
                    RC_ASSERT(canonical_wire_name(*name + ".") == name);
                    std::string upper = *name;
                    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
                    RC_ASSERT(canonical_wire_name(upper) == name);
                    RC_ASSERT(parse_host(*name)->kind == HostText::Kind::kName);
                  }),
            "");
}

}  // namespace
}  // namespace pinfold::net
