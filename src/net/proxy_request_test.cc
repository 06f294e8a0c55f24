// proxy_request_test.cc: messages of a proxy's clients, split in every way.
#include "net/proxy_request.h"

#include <gtest/gtest.h>

#include "base/encode.h"

namespace pinfold::net {
namespace {

using StepOutcome = ProxyStep::Outcome;
constexpr std::string_view kToken = "s3cret";

ProxyStep first(std::string_view text) { return read_for_proxy(ProxyStage::kFirst, as_bytes(text), kToken); }

std::string password(std::string_view token = kToken) {
  return "Proxy-Authorization: Basic " + base64("anyone:" + std::string(token)) + "\r\n";
}

TEST(ProxyRequest, ATunnelByName) {
  const std::string head = "CONNECT Example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n" + password() + "\r\n";
  const ProxyStep step = first(head + "\x16\x03\x01");
  ASSERT_EQ(step.outcome, StepOutcome::kConnect) << step.why;
  EXPECT_EQ(step.mode, ProxyMode::kTunnel);
  EXPECT_EQ(step.host.text, "example.org");
  EXPECT_EQ(step.port, 443);
  EXPECT_EQ(step.taken, head.size()) << "what follows the head is the other side's";
  for (std::size_t size = 0; size < head.size(); ++size)
    EXPECT_EQ(first(std::string_view(head).substr(0, size)).outcome, StepOutcome::kNeedMore) << size;
}

TEST(ProxyRequest, RefusesRequestsWithoutTheToken) {
  const std::string head = "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n";
  for (const std::string& more :
       {std::string(), password(""), password("s3cre"), password("s3cret "), password("S3cret"),
        std::string("Proxy-Authorization: Basic !!!\r\n"), std::string("Proxy-Authorization: Bearer s3cret\r\n"),
        std::string("Authorization: Basic " + base64("a:s3cret") + "\r\n")}) {
    const ProxyStep step = first(head + more + "\r\n");
    EXPECT_EQ(step.outcome, StepOutcome::kRefused) << more;
    EXPECT_TRUE(step.reply.starts_with("HTTP/1.1 407 ")) << step.reply;
    EXPECT_NE(step.reply.find("Proxy-Authenticate: Basic"), std::string::npos);
  }
}

TEST(ProxyRequest, AnAbsoluteUrlIsForwardedWithANewHead) {
  const ProxyStep step = first("GET http://example.org:8080/a?b#c HTTP/1.1\r\nHost: example.org:8080\r\n" + password() +
                               "Proxy-Connection: keep-alive\r\nConnection: keep-alive, x\r\nAccept: */*\r\n\r\n");
  ASSERT_EQ(step.outcome, StepOutcome::kConnect) << step.why;
  EXPECT_EQ(step.mode, ProxyMode::kForward);
  EXPECT_EQ(step.port, 8080);
  EXPECT_EQ(step.head, "GET /a?b HTTP/1.1\r\nHost: example.org:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(first("GET http://example.org HTTP/1.1\r\nHost: example.org\r\n" + password() + "\r\n").head,
            "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(
      first("OPTIONS http://example.org HTTP/1.1\r\nHost: example.org\r\n" + password() + "\r\n").head.substr(0, 9),
      "OPTIONS *");
  EXPECT_EQ(first("GET http://example.org?q HTTP/1.1\r\nHost: example.org\r\n" + password() +
                  "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                .head,
            "GET /?q HTTP/1.1\r\nHost: example.org\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
}

TEST(ProxyRequest, RefusesAmbiguousRequests) {
  for (const char* text :
       {"GET http://a.test/ HTTP/1.1\r\nHost: b.test\r\n", "GET http://a.test@b.test/ HTTP/1.1\r\nHost: a.test\r\n",
        "GET /origin HTTP/1.1\r\nHost: a.test\r\n", "CONNECT a.test HTTP/1.1\r\nHost: a.test\r\n",
        "CONNECT 2130706433:80 HTTP/1.1\r\nHost: x\r\n", "GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n",
        "GET ftp://a.test/ HTTP/1.1\r\nHost: a.test\r\n",
        "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n"}) {
    const ProxyStep step = first(text + password() + "\r\n");
    EXPECT_EQ(step.outcome, StepOutcome::kRefused) << text;
    EXPECT_TRUE(step.reply.starts_with("HTTP/1.1 400 ")) << text;
  }
}

TEST(ProxyRequest, SocksInThreeMessages) {
  using namespace std::string_literals;
  const ProxyStep hello = first("\x05\x02\x00\x02"s);
  ASSERT_EQ(hello.outcome, StepOutcome::kNextStage);
  EXPECT_EQ(hello.reply, "\x05\x02"s);
  EXPECT_EQ(hello.next, ProxyStage::kSocksPassword);
  EXPECT_EQ(hello.taken, 4U);
  const ProxyStep known = read_for_proxy(hello.next, as_bytes("\x01\x01u\x06s3cret"s), kToken);
  ASSERT_EQ(known.outcome, StepOutcome::kNextStage);
  EXPECT_EQ(known.reply, "\x01\x00"s);
  const std::string name = "\x05\x01\x00\x03\x06"s + "A.test" + "\x01\xbb"s;
  const ProxyStep asked = read_for_proxy(known.next, as_bytes(name + "more"), kToken);
  ASSERT_EQ(asked.outcome, StepOutcome::kConnect);
  EXPECT_EQ(asked.host.text, "a.test");
  EXPECT_EQ(asked.port, 443);
  EXPECT_EQ(asked.taken, name.size());
  for (std::size_t size = 0; size < name.size(); ++size)
    EXPECT_EQ(read_for_proxy(known.next, as_bytes(std::string_view(name).substr(0, size)), kToken).outcome,
              StepOutcome::kNeedMore)
        << size;
  EXPECT_EQ(read_for_proxy(known.next, as_bytes("\x05\x01\x00\x01\x0a\x01\x02\x03\x00\x16"s), kToken).host.text,
            "10.1.2.3");
  // An IPv4 address in IPv6 is that address, not a way around the rules about it.
  const std::string mapped = "\x05\x01\x00\x04"s + std::string(10, '\0') + "\xff\xff\x7f\x00\x00\x01\x00\x50"s;
  EXPECT_EQ(read_for_proxy(known.next, as_bytes(mapped), kToken).host.text, "127.0.0.1");
}

TEST(ProxyRequest, SocksRefusals) {
  using namespace std::string_literals;
  EXPECT_EQ(first("\x05\x01\x00"s).reply, "\x05\xff"s) << "without a password";
  EXPECT_EQ(first("\x04\x01\x00\x50\x7f\x00\x00\x01\x00"s).outcome, StepOutcome::kRefused);
  EXPECT_EQ(read_for_proxy(ProxyStage::kSocksPassword, as_bytes("\x01\x01u\x03xyz"s), kToken).reply, "\x01\x01"s);
  const auto request = [](std::string_view bytes) {
    return read_for_proxy(ProxyStage::kSocksRequest, as_bytes(bytes), kToken).reply.substr(0, 2);
  };
  EXPECT_EQ(request("\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50"s), "\x05\x07"s) << "BIND";
  EXPECT_EQ(request("\x05\x03\x00\x01\x7f\x00\x00\x01\x00\x50"s), "\x05\x07"s) << "UDP";
  EXPECT_EQ(request("\x05\x01\x00\x05\x7f\x00\x00\x01\x00\x50"s), "\x05\x08"s);
  EXPECT_EQ(request("\x05\x01\x00\x03\x05"s + "a b.c" + "\x00\x50"s), "\x05\x02"s);
  EXPECT_EQ(request("\x05\x01\x00\x03\x01"s + "a" + "\x00\x00"s), "\x05\x02"s) << "port 0";
}

}  // namespace
}  // namespace pinfold::net
