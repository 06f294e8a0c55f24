// proxy_request.h: what a client says to a proxy, message by message: HTTP CONNECT, a request for an absolute URL,
// SOCKS5. Invariant: the answer depends on the bytes alone; nothing is asked for without the token of this run; a
// message that two programs could read differently is refused. Not here: sockets (proxy.h), whether the host is
// granted.
//
// SOCKS5 is a conversation of three messages; HTTP needs one. Every client has to give the token as its password: a
// port of loopback is open to every program of this machine, and the grants are only for those in the sandbox.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/byte_reader.h"
#include "net/host_text.h"

namespace pinfold::net {

enum class ProxyStage { kFirst, kSocksPassword, kSocksRequest };

// How the client wants to be answered.
enum class ProxyManner {
  kTunnel,   // CONNECT: "200", then the bytes of both
  kForward,  // a request that goes on with a changed head: the server's answer is the answer
  kSocks,
};

struct ProxyStep {
  enum class Outcome {
    kNeedMore,
    kGoOn,     // reply, and read the message of the next stage
    kAsked,    // for host and port
    kRefused,  // reply, and close
  };
  Outcome outcome = Outcome::kNeedMore;
  std::size_t taken = 0;  // bytes that the message had
  ProxyStage next = ProxyStage::kFirst;
  std::string reply;
  std::string why;  // with kRefused

  // With kAsked:
  ProxyManner manner = ProxyManner::kTunnel;
  HostText host;
  std::uint16_t port = 0;
  std::string head;  // with kForward: what the server gets instead
};

// All that has come and was not taken yet. At most kLongestProxyMessage of it is looked at.
inline constexpr std::size_t kLongestProxyMessage = 16 * 1024;
ProxyStep read_for_proxy(ProxyStage stage, ByteView bytes, std::string_view token);

// What the client is told. `why` may be shown to a person.
enum class ProxyResult { kConnected, kDenied, kUnreachable };
std::string proxy_reply(ProxyManner manner, ProxyResult result, std::string_view why);

}  // namespace pinfold::net
