// http_host_test.cc: requests of real clients, and requests that two servers could read differently.
// Invariant: every head is read whole, byte by byte and in uneven pieces, with one outcome.
// Not here: random bytes (fuzz/http_host.cc), Python's reading of the same bytes (tests/parser_differential).
#include "net/http_host.h"

#include <gtest/gtest.h>

namespace pinfold::net {
namespace {

using namespace std::string_literals;
using State = HttpHostReader::State;
using Form = HttpRequest::Form;

HttpHostReader read(std::string_view bytes) {
  HttpHostReader whole;
  whole.feed(as_bytes(bytes));
  for (const std::size_t piece : {1U, 2U, 3U, 17U, 50U}) {
    HttpHostReader cut;
    for (std::size_t i = 0; i < bytes.size(); i += piece) cut.feed(as_bytes(bytes.substr(i, piece)));
    EXPECT_EQ(cut.state(), whole.state()) << "in pieces of " << piece << ": " << bytes;
    EXPECT_EQ(cut.request(), whole.request()) << "in pieces of " << piece;
    EXPECT_EQ(cut.problem(), whole.problem()) << "in pieces of " << piece;
  }
  return whole;
}

std::string host_of(const std::string& bytes) {
  const auto reader = read(bytes);
  switch (reader.state()) {
    case State::kNeedMore: return "(more)";
    case State::kNotHttp: return "(not HTTP)";
    case State::kHttp2: return "(HTTP/2)";
    case State::kMalformed: return "(" + std::string(reader.problem()) + ")";
    case State::kRequest: break;
  }
  const auto& host = reader.request().host;
  if (!host) return "(none)";
  return host->host.text + (host->port ? " " + std::to_string(*host->port) : "");
}

std::string get(const std::string& fields) { return "GET / HTTP/1.1\r\n" + fields + "\r\n"; }
std::string host(const std::string& value) { return host_of(get("Host: " + value + "\r\n")); }

TEST(HttpHost, OfRealClients) {
  const struct {
    std::string head;
    std::string host;
    Form form;
  } rows[] = {
      {"GET /a?b=c HTTP/1.1\r\nHost: api.example.org:43347\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n",
       "api.example.org 43347", Form::kOrigin},
      {"GET http://api.example.org/a?b=c HTTP/1.1\r\nHost: api.example.org\r\nUser-Agent: curl/7.88.1\r\nAccept: "
       "*/*\r\nProxy-Connection: Keep-Alive\r\n\r\n",
       "api.example.org", Form::kAbsolute},
      {"CONNECT api.example.org:443 HTTP/1.1\r\nHost: api.example.org:443\r\nUser-Agent: "
       "curl/7.88.1\r\nProxy-Connection: Keep-Alive\r\n\r\n",
       "api.example.org 443", Form::kAuthority},
      {"GET / HTTP/1.0\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n", "(none)", Form::kOrigin},
      {"GET /x HTTP/1.1\r\nHost: localhost:38339\r\nUser-Agent: Wget/1.21.3\r\nAccept: */*\r\nAccept-Encoding: "
       "identity\r\nConnection: Keep-Alive\r\n\r\n",
       "localhost 38339", Form::kOrigin},
      {"GET /y HTTP/1.1\r\nAccept-Encoding: identity\r\nHost: 127.0.0.1:41663\r\nUser-Agent: "
       "Python-urllib/3.11\r\nConnection: close\r\n\r\n",
       "127.0.0.1 41663", Form::kOrigin},
      {"POST /z HTTP/1.1\r\nhost: 127.0.0.1:45851\r\nconnection: keep-alive\r\ncontent-type: "
       "text/plain;charset=UTF-8\r\naccept: */*\r\naccept-language: *\r\nsec-fetch-mode: cors\r\nuser-agent: "
       "node\r\naccept-encoding: gzip, deflate\r\ncontent-length: 5\r\n\r\nhello",
       "127.0.0.1 45851", Form::kOrigin},
      {"GET /r.git/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: 127.0.0.1:37679\r\nUser-Agent: "
       "git/2.39.5\r\nAccept: */*\r\nAccept-Encoding: deflate, gzip, br, zstd\r\nAccept-Language: C, "
       "*;q=0.9\r\nPragma: no-cache\r\nGit-Protocol: version=2\r\n\r\n",
       "127.0.0.1 37679", Form::kOrigin},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(host_of(row.head), row.host) << row.head;
    EXPECT_EQ(read(row.head).request().form, row.form) << row.head;
    const std::size_t end = row.head.find("\r\n\r\n") + 3;
    for (std::size_t size = 0; size <= end; ++size) {
      HttpHostReader early;
      EXPECT_EQ(early.feed(as_bytes(std::string_view(row.head).substr(0, size))), State::kNeedMore);
    }
  }
}

TEST(HttpHost, Http2) {
  EXPECT_EQ(host_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04"s), "(HTTP/2)");
  EXPECT_EQ(host_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r"), "(more)");
  EXPECT_EQ(host_of("PRI * HTTP/2.0\r\n\r\nSN\r\n\r\n"), "(a broken HTTP/2 preface)");
  EXPECT_EQ(host_of("PRI * HTTP/2.0\r\nHost: a.example\r\n\r\n"), "(a broken HTTP/2 preface)");
  EXPECT_EQ(host_of("GET / HTTP/2.0\r\nHost: a.example\r\n\r\n"), "(an unknown version of HTTP)");
}

TEST(HttpHost, Hosts) {
  EXPECT_EQ(host("API.Example.ORG"), "api.example.org");
  EXPECT_EQ(host("api.example.org."), "api.example.org");
  EXPECT_EQ(host("\t api.example.org:80 \t"), "api.example.org 80");
  EXPECT_EQ(host("[2001:DB8::1]:8080"), "2001:db8::1 8080");
  EXPECT_EQ(host("[::ffff:127.0.0.1]"), "127.0.0.1");
  EXPECT_EQ(host_of(get("HOST:a.example\r\n")), "a.example");
  EXPECT_EQ(host_of(get("X-Host: b.example\r\nHost: a.example\r\nHosts: c.example\r\n")), "a.example");
  for (const std::string& value : {"a.example, b.example"s,
                                   "a.example b.example"s,
                                   "user@a.example"s,
                                   "http://a.example"s,
                                   "a.example/"s,
                                   "a%2eexample"s,
                                   "a.example:"s,
                                   "a.example:0"s,
                                   "a.example:080"s,
                                   "a.example:65536"s,
                                   "a.example:80:80"s,
                                   "a.example:+80"s,
                                   "::1"s,
                                   "[::1"s,
                                   "[::1]x"s,
                                   "[fe80::1%25eth0]"s,
                                   "[fe80::1%eth0]"s,
                                   "[127.0.0.1]"s,
                                   "[]"s,
                                   "127.1"s,
                                   "0x7f.1"s,
                                   "2130706433"s,
                                   "127.0.0.01"s,
                                   "b\xc3\xbc"s + "cher.example",
                                   "a..example"s,
                                   "*"s,
                                   "."s,
                                   std::string(300, 'a')})
    EXPECT_EQ(host(value), "(Host is no host)") << value;
}

TEST(HttpHost, Targets) {
  const std::string field = "Host: a.example\r\n\r\n";
  EXPECT_EQ(host_of("OPTIONS * HTTP/1.1\r\n" + field), "a.example");
  EXPECT_EQ(host_of("GET * HTTP/1.1\r\n" + field), "(a target of an unknown form)");
  EXPECT_EQ(host_of("GET HTTP://A.example?q HTTP/1.1\r\n" + field), "a.example");
  EXPECT_EQ(host_of("GET http://a.example:80/ HTTP/1.1\r\n" + field), "a.example 80");
  EXPECT_EQ(host_of("GET https://a.example:443/ HTTP/1.1\r\n" + field), "a.example 443");
  EXPECT_EQ(host_of("GET http://a.example/ HTTP/1.0\r\n\r\n"), "a.example");
  EXPECT_EQ(host_of("GET /b\xc3\xbc"s + "cher HTTP/1.1\r\n" + field), "a.example");
  const std::string differs = "(Host is not the host of the target)";
  EXPECT_EQ(host_of("GET http://b.example/ HTTP/1.1\r\n" + field), differs);
  EXPECT_EQ(host_of("GET http://a.example:8080/ HTTP/1.1\r\n" + field), differs);
  EXPECT_EQ(host_of("GET http://a.example/ HTTP/1.1\r\nHost:\r\n\r\n"), differs);
  EXPECT_EQ(host_of("CONNECT b.example:443 HTTP/1.1\r\n" + field), differs);
  EXPECT_EQ(host_of("CONNECT a.example:443 HTTP/1.1\r\n" + field), "a.example 443");
  EXPECT_EQ(host_of("CONNECT a.example HTTP/1.1\r\n" + field), "(CONNECT without a host and a port)");
  for (const std::string target :
       {"http://a.example@b.example/", "http://a.example\\@b.example/", "http:///x", "http://"})
    EXPECT_EQ(host_of("GET " + target + " HTTP/1.1\r\n" + field), "(the target has no proper host)") << target;
  for (const std::string target : {"a.example", "ftp://a.example/", "//", "x"})
    EXPECT_EQ(host_of("GET " + target + " HTTP/1.1\r\n" + field),
              target == "//" ? "a.example" : "(a target of an unknown form)");
}

TEST(HttpHost, RefusesAmbiguousForms) {
  EXPECT_EQ(host_of(get("Host: a.example\r\nHost: b.example\r\n")), "(more than one Host)");
  EXPECT_EQ(host_of(get("Host: a.example\r\nhost: a.example\r\n")), "(more than one Host)");
  EXPECT_EQ(host_of(get("Host:\r\nHost: a.example\r\n")), "(more than one Host)");
  EXPECT_EQ(host_of(get("Host: a.example\r\n b.example\r\n")), "(a folded line)");
  EXPECT_EQ(host_of(get("X: y\r\n\tHost: b.example\r\nHost: a.example\r\n")), "(a folded line)");
  EXPECT_EQ(host_of(get(" Host: a.example\r\n")), "(a folded line)");
  EXPECT_EQ(host_of(get("Host : a.example\r\n")), "(a line that is no field)");
  EXPECT_EQ(host_of(get("Ho\xc5\xbft: a.example\r\n")), "(a line that is no field)");
  EXPECT_EQ(host_of(get("Host\r\n")), "(a line that is no field)");
  EXPECT_EQ(host_of(get(": x\r\n")), "(a line that is no field)");
  EXPECT_EQ(host_of("GET / HTTP/1.1\nHost: a.example\n\n"), "(a lone line feed)");
  EXPECT_EQ(host_of(get("X: y\nHost: b.example\r\nHost: a.example\r\n")), "(a lone line feed)");
  EXPECT_EQ(host_of(get("X: y\rHost: b.example\r\nHost: a.example\r\n")), "(a lone carriage return)");
  EXPECT_EQ(host_of(get("X: y\r\r\nHost: a.example\r\n")), "(a lone carriage return)");
  EXPECT_EQ(host_of(get("X: \0\r\nHost: a.example\r\n"s)), "(a control character in the head)");
  EXPECT_EQ(host_of(get("Host: a.example\x0b\r\n")), "(a control character in the head)");
  EXPECT_EQ(host_of(get("")), "(no Host)");
  EXPECT_EQ(host_of(get("Host: \r\n")), "(an empty Host)");
  EXPECT_EQ(host_of("\r\n" + get("Host: a.example\r\n")), "(white space before the request)");
  EXPECT_EQ(host_of(" " + get("Host: a.example\r\n")), "(white space before the request)");
  EXPECT_EQ(host_of("GET  / HTTP/1.1\r\nHost: a.example\r\n\r\n"), "(white space in the target)");
  EXPECT_EQ(host_of("GET / /x HTTP/1.1\r\nHost: a.example\r\n\r\n"), "(white space in the target)");
  EXPECT_EQ(host_of("GET /\t HTTP/1.1\r\nHost: a.example\r\n\r\n"), "(white space in the target)");
  EXPECT_EQ(host_of("GET HTTP/1.1\r\nHost: a.example\r\n\r\n"), "(a request without a target)");
  for (const std::string version : {"HTTP/1.2", "HTTP/1.1x", "HTTP/01.1", "HTTP/3", "HTTP/"})
    EXPECT_EQ(host_of("GET / " + version + "\r\nHost: a.example\r\n\r\n"), "(an unknown version of HTTP)");
}

TEST(HttpHost, NotHttp) {
  for (const std::string& bytes :
       {"SSH-2.0-OpenSSH_9.2p1\r\n"s, "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"s, "\x16\x03\x01"s, "\0\0\0\x08"s,
        "EHLO x\r\n"s, "GET /\r\n"s, "GET\r\n"s, std::string(33, 'A'), "GET / http/1.1\r\nHost: a.example\r\n\r\n"s})
    EXPECT_EQ(host_of(bytes), "(not HTTP)") << bytes;
  EXPECT_EQ(host_of(std::string(32, 'A')), "(more)");
}

TEST(HttpHost, Bounds) {
  const std::string long_field = "X: " + std::string(16000, 'x') + "\r\n";
  EXPECT_EQ(host_of(get(long_field + "Host: a.example\r\n")), "a.example");
  EXPECT_EQ(host_of(get(long_field + long_field + "Host: a.example\r\n")), "(the head of the request is too long)");
  EXPECT_EQ(host_of("GET /" + std::string(20000, 'x')), "(the head of the request is too long)");
}

}  // namespace
}  // namespace pinfold::net
