// http_host.h: reads the head of the first HTTP/1.x request of a client, as it arrives, for its host.
// Invariant: reads at most 16 KiB, in linear time; the outcome depends on the bytes, never on how they were
// split; a head that two servers could read differently is malformed. Not here: I/O, bodies, whether the host is
// granted.
//
// Only CR LF ends a line. RFC 9112 lets a server take a lone LF as well, and servers differ: one reads two
// lines where another reads one, and a Host could hide in it. HTTP libraries never send lone LFs.
//
// The host proves the site of the first request. Later requests on the same connection are not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/byte_reader.h"
#include "net/host_text.h"

namespace pinfold::net {

struct HttpRequest {
  enum class Form {
    kOrigin,     // GET /path
    kAbsolute,   // GET http://host/path: the client treats the other side as a proxy
    kAuthority,  // CONNECT host:port: a tunnel
    kAsterisk,   // OPTIONS *
  };
  Form form = Form::kOrigin;
  // From the target where that has one (Host must agree then), else from Host. None: HTTP/1.0 without Host.
  std::optional<HostPort> host;

  bool operator==(const HttpRequest&) const = default;
};

class HttpHostReader {
 public:
  enum class State {
    kNeedMore,
    // Not the start of a request. Where the host must be checked (port 80) this has to be refused, too: servers differ
    // in the bytes that they skip before a request.
    kNotHttp,
    kMalformed,  // refuse
    // HTTP/2 without TLS ("PRI * HTTP/2.0"): the hosts are in later compressed frames, one in each request, and
    // this reader parses none of them. Where the host must be checked, refuse; clients can use HTTP/1.1.
    kHttp2,
    kRequest,
  };
  static constexpr std::size_t kMostBytes = 16 * 1024;

  // The next bytes of the stream. Lines within one piece are parsed in place. The bytes after the head are not
  // read. After the end (any state but kNeedMore) nothing changes.
  State feed(ByteView bytes);

  State state() const { return state_; }
  const HttpRequest& request() const { return request_; }  // with kRequest
  std::string_view problem() const { return problem_; }    // with kNotHttp and kMalformed: a few words for the report

 private:
  enum class Part { kRequestLine, kFields, kPreface };
  enum class Version { k10, k11 };

  void read_byte(char c);
  void read_line(std::string_view line);
  void read_request_line(std::string_view line);
  void read_target(std::string_view method, std::string_view target);
  void read_field(std::string_view line);
  void finish();
  void end(State state, std::string_view problem);

  State state_ = State::kNeedMore;
  Part part_ = Part::kRequestLine;
  Version version_ = Version::k11;
  std::size_t total_ = 0;
  std::size_t column_ = 0;  // in the current line
  bool after_cr_ = false;
  bool method_ended_ = false;
  std::size_t preface_ = 0;  // bytes of the HTTP/2 preface after its first line
  std::string pending_;      // the line so far, if it came in several pieces
  std::optional<std::uint16_t> default_port_;
  std::optional<HostPort> authority_;  // of the target
  bool has_host_ = false;
  std::optional<HostPort> host_;  // of the field
  HttpRequest request_;
  std::string_view problem_;
};

}  // namespace pinfold::net
