// argument_checks_sockets.cc: the argument checks of socket calls.
// Invariant: with kLandlockOnly and kDomains the only network sockets are TCP over IPv4, and only the supervisor can
// connect them: no call, flag or option here connects, listens or routes packets elsewhere.
// Not here: connecting (proxy_connect.cc).
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

#include "backend/linux/seccomp/argument_checks.h"

namespace pinfold::backend::on_linux {

using bpf::allow;
using bpf::Code;
using bpf::errno_answer;
using bpf::load_argument;
using bpf::op;
using bpf::when_any_bit;
using bpf::when_equal;

namespace {

std::uint8_t skip(const Code& code) { return static_cast<std::uint8_t>(code.size()); }

// if (A == k) `then`, which ends in a RET;
void when(Code& code, std::uint32_t k, const Code& then) {
  code.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, k, 0, skip(then)));
  code.insert(code.end(), then.begin(), then.end());
}

// TCP over IPv4, the proxy's family. AF_INET6 fails with EAFNOSUPPORT, so programs fall back to IPv4.
void tcp_only(Code& out) {
  Code inet = {load_argument(1), op(BPF_ALU | BPF_AND | BPF_K, 0xf)};
  Code stream = {load_argument(2)};
  for (int known : {IPPROTO_IP, IPPROTO_TCP}) when_equal(stream, static_cast<std::uint32_t>(known), allow());
  stream.push_back(errno_answer(EPROTONOSUPPORT));
  when(inet, SOCK_STREAM, stream);
  inet.push_back(errno_answer(EACCES));
  out = {load_argument(0)};
  when(out, AF_INET, inet);
  when_equal(out, AF_INET6, errno_answer(EAFNOSUPPORT));
  out.push_back(errno_answer(EACCES));
}

// Reviewed one by one: source routes (IP_OPTIONS) and devices (SO_BINDTODEVICE) would lead a connection to 127.0.0.1
// out of this host, TCP_FASTOPEN_CONNECT and TCP_ULP change what connecting means.
void harmless_options(Code& out) {
  constexpr std::uint32_t kNewTimeouts[] = {66, 67};  // SO_RCVTIMEO_NEW, SO_SNDTIMEO_NEW
  Code socket = {load_argument(2)};
  for (int each : {SO_REUSEADDR, SO_BROADCAST, SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE, SO_OOBINLINE, SO_PRIORITY,
                   SO_REUSEPORT, SO_PASSCRED, SO_RCVLOWAT, SO_SNDLOWAT, SO_RCVTIMEO, SO_SNDTIMEO, SO_TIMESTAMP,
                   SO_TIMESTAMPNS, SO_BUSY_POLL, SO_ZEROCOPY})
    when_equal(socket, static_cast<std::uint32_t>(each), allow());
  for (std::uint32_t each : kNewTimeouts) when_equal(socket, each, allow());
  // Returns 0 and does nothing: with SO_LINGER the last close() blocks, and the supervisor may be the last to close.
  when_equal(socket, SO_LINGER, errno_answer(0));
  socket.push_back(errno_answer(ENOPROTOOPT));
  Code tcp = {load_argument(2)};
  for (int each : {TCP_NODELAY, TCP_MAXSEG, TCP_CORK, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_SYNCNT, TCP_LINGER2,
                   TCP_WINDOW_CLAMP, TCP_QUICKACK, TCP_CONGESTION, TCP_USER_TIMEOUT, TCP_NOTSENT_LOWAT, TCP_INQ})
    when_equal(tcp, static_cast<std::uint32_t>(each), allow());
  tcp.push_back(errno_answer(ENOPROTOOPT));
  Code ip = {load_argument(2)};
  for (int each : {IP_TOS, IP_TTL, IP_MTU_DISCOVER, IP_RECVERR, IP_BIND_ADDRESS_NO_PORT})
    when_equal(ip, static_cast<std::uint32_t>(each), allow());
  ip.push_back(errno_answer(ENOPROTOOPT));
  out = {load_argument(1)};
  when(out, SOL_SOCKET, socket);
  when(out, IPPROTO_TCP, tcp);
  when(out, IPPROTO_IP, ip);
  out.push_back(errno_answer(ENOPROTOOPT));
}

}  // namespace

void ArgumentChecks::sockets(Code& out, SyscallAction action) const {
  if (action == SyscallAction::kSocketPair) return socket_pair(out);
  if (action == SyscallAction::kSocket) {
    if (proxied_) return tcp_only(out);
    return landlock_only_ && options_.network == NetworkMode::kNone ? unix_only(out) : socket(out);
  }
  out = {allow()};
  if (!proxied_) return;
  switch (action) {
    case SyscallAction::kListens: out = {errno_answer(EACCES)}; break;
    case SyscallAction::kSends: sends(out, 3); break;
    case SyscallAction::kSendsMessage: sends(out, 2); break;
    case SyscallAction::kSocketOption: harmless_options(out); break;
    default: break;
  }
}

// The kernel checks MSG_FASTOPEN in these flags, not in msg_flags.
void ArgumentChecks::sends(Code& out, unsigned flags_argument) const {
  out = {load_argument(flags_argument)};
  when_any_bit(out, MSG_FASTOPEN, errno_answer(EOPNOTSUPP));
  out.push_back(allow());
}

void ArgumentChecks::unix_only(Code& out) const {
  if (unix_sockets_ == Unix::kAny) {
    out = {load_argument(0)};
    when_equal(out, AF_UNIX, allow());
  }
  out.push_back(errno_answer(EACCES));
}

// AF_UNIX only: other families make pairs, too, and no other check would see those. A datagram socket of a pair can be
// connected again to any other socket; stream and seqpacket sockets cannot.
void ArgumentChecks::socket_pair(Code& out) const {
  Code local = {allow()};
  if (unix_sockets_ == Unix::kPairs) {
    local = {load_argument(1), op(BPF_ALU | BPF_AND | BPF_K, 0xf)};
    when_equal(local, SOCK_STREAM, allow());
    when_equal(local, SOCK_SEQPACKET, allow());
    local.push_back(errno_answer(EACCES));
  }
  out = {load_argument(0), op(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, static_cast<std::uint8_t>(local.size()))};
  out.insert(out.end(), local.begin(), local.end());
  out.push_back(errno_answer(EAFNOSUPPORT));
}

void ArgumentChecks::socket(Code& out) const {
  out = {load_argument(0)};
  when_equal(out, AF_UNIX, unix_sockets_ == Unix::kPairs ? errno_answer(EACCES) : allow());
  // AF_NETLINK: only the routing family, which programs use to list addresses.
  Code netlink = {load_argument(2)};
  when_equal(netlink, 0, allow());
  netlink.push_back(errno_answer(EPROTONOSUPPORT));
  Code inet = {load_argument(1), op(BPF_ALU | BPF_AND | BPF_K, 0xf)};
  when_equal(inet, SOCK_RAW, errno_answer(EPERM));
  when_equal(inet, 10, errno_answer(EPERM));  // SOCK_PACKET
  inet.push_back(load_argument(2));
  for (int known : {IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP}) when_equal(inet, static_cast<std::uint32_t>(known), allow());
  inet.push_back(errno_answer(EPROTONOSUPPORT));  // MPTCP, SCTP, ICMP…: callers fall back
  out.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, skip(netlink)));
  out.insert(out.end(), netlink.begin(), netlink.end());
  out.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0));
  out.push_back(op(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, skip(inet)));
  out.insert(out.end(), inet.begin(), inet.end());
  out.push_back(errno_answer(EAFNOSUPPORT));
}

}  // namespace pinfold::backend::on_linux
