// proxy_request.h: parses a client's messages to a proxy: HTTP CONNECT, a request for an absolute URL,
// SOCKS5. Invariant: the answer depends on the bytes alone; no request is accepted without the token of this run; a
// message that two programs could read differently is refused. Not here: sockets (proxy.h), whether the host is
// granted.
//
// SOCKS5 has three messages; HTTP has one. Every client must send the token as its password: a port of loopback is open
// to every program of this machine, and the grants are only for programs in the sandbox.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/byte_reader.h"
#include "net/host_text.h"

namespace pinfold::net {

enum class ProxyStage { kFirst, kSocksPassword, kSocksRequest };

// The form of the reply.
enum class ProxyMode {
  kTunnel,   // CONNECT: "200", then the bytes of both
  kForward,  // a request forwarded with a changed head: the server's response is the reply
  kSocks,
};

struct ProxyStep {
  enum class Outcome {
    kNeedMore,
    kNextStage,  // reply, and read the message of the next stage
    kConnect,    // to host and port
    kRefused,    // reply, and close
  };
  Outcome outcome = Outcome::kNeedMore;
  std::size_t taken = 0;  // bytes that the message had
  ProxyStage next = ProxyStage::kFirst;
  std::string reply;
  std::string why;  // with kRefused

  // With kConnect:
  ProxyMode mode = ProxyMode::kTunnel;
  HostText host;
  std::uint16_t port = 0;
  std::string head;  // with kForward: the changed head for the server
};

// Reads at most kLongestProxyMessage of the bytes, which are all that are not consumed yet.
inline constexpr std::size_t kLongestProxyMessage = 16 * 1024;
ProxyStep read_for_proxy(ProxyStage stage, ByteView bytes, std::string_view token);

// The reply to the client. `why` is for a person.
enum class ProxyResult { kConnected, kDenied, kUnreachable };
std::string proxy_reply(ProxyMode mode, ProxyResult result, std::string_view why);

}  // namespace pinfold::net
