// proxy_connect.cc: reads the address of a trapped connect, connects to the proxy, reports a refused address.
#include "backend/linux/notify/proxy_connect.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "backend/linux/notify/syscall_request.h"
#include "base/address.h"
#include "base/domain.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::size_t kMostWaiting = 256;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  out.sin_port = htons(port);
  return out;
}

// Like connect(), but MSG_DONTWAIT makes this call non-blocking; the command could clear O_NONBLOCK on the shared
// socket. It sends the same packets as connect(), and a TCP Fast Open cookie request, which the proxy's socket ignores.
int connect_without_waiting(int socket, std::uint16_t port) {
  const sockaddr_in to = loopback(port);
  const int flags = MSG_FASTOPEN | MSG_DONTWAIT | MSG_NOSIGNAL;
  return ::sendto(socket, "", 0, flags, reinterpret_cast<const sockaddr*>(&to), sizeof to) >= 0 ? 0 : errno;
}

int number(const sys::Fd& socket, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket.raw(), SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

bool is_tcp(const sys::Fd& socket) {
  return number(socket, SO_DOMAIN) == AF_INET && number(socket, SO_TYPE) == SOCK_STREAM &&
         number(socket, SO_PROTOCOL) == IPPROTO_TCP;
}

// ptrace_scope 2: only with CAP_SYS_PTRACE; 3: never.
bool may_read_other_memory() {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/sys/kernel/yama/ptrace_scope", "re"), std::fclose);
  const int scope = file ? std::fgetc(file.get()) : '0';
  return scope < (::geteuid() == 0 ? '3' : '2');
}

}  // namespace

// Tries each call: a container's seccomp filter or a sysctl may refuse it.
std::string ProxyConnector::why_unavailable() {
  if (!may_read_other_memory()) return "the supervisor may not read a command's memory (kernel.yama.ptrace_scope)";
  const auto made = sys::Fd::adopt(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return "no TCP socket can be made";
  const sys::Fd copy = take_descriptor(static_cast<std::uint32_t>(::getpid()), made.raw());
  if (!copy.is_open()) return "the supervisor cannot copy a command's socket (pidfd_getfd)";
  const auto listening = sys::Fd::adopt(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at = loopback(0);
  socklen_t size = sizeof at;
  auto* address = reinterpret_cast<sockaddr*>(&at);
  if (!listening.is_open() || ::bind(listening.raw(), address, size) != 0 || ::listen(listening.raw(), 1) != 0 ||
      ::getsockname(listening.raw(), address, &size) != 0)
    return "the supervisor cannot listen on 127.0.0.1";
  const int error = connect_without_waiting(copy.raw(), ntohs(at.sin_port));
  if (error != 0 && error != EINPROGRESS)
    return "the supervisor cannot connect without blocking (net.ipv4.tcp_fastopen lacks its lowest bit)";
  return {};
}

void ProxyConnector::close() {
  for (auto& [socket, each] : waiting_)
    if (loop_ != nullptr) loop_->remove(socket);
  waiting_.clear();
  loop_ = nullptr;
}

bool ProxyConnector::answer(int listener, const seccomp_notif& call, SandboxEvents& events) {
  if (call.data.nr != __NR_connect) return false;
  const auto size = static_cast<std::uint32_t>(call.data.args[2]);
  sockaddr_in wanted{};
  const auto bytes = read_bytes(call.pid, call.data.args[1], sizeof wanted);
  if (bytes) std::memcpy(&wanted, bytes->data(), sizeof wanted);
  const sockaddr_in ours = loopback(port_);
  const bool to_proxy = bytes && port_ != 0 && size >= sizeof wanted && size <= sizeof(sockaddr_storage) &&
                        wanted.sin_family == AF_INET && wanted.sin_port == ours.sin_port &&
                        wanted.sin_addr.s_addr == ours.sin_addr.s_addr;
  if (!to_proxy) {
    auto seen = denial(call, caller_of(call.pid));
    const bool was_theirs = still_waits(listener, call);
    answer_result(listener, call, ECONNREFUSED);
    if (seen && was_theirs) events.denied(std::move(*seen));
    return true;
  }
  sys::Fd socket = take_descriptor(call.pid, static_cast<int>(call.data.args[0]));
  const int why_none = socket.is_open() ? 0 : errno;
  if (!still_waits(listener, call)) return true;
  if (!socket.is_open() || !is_tcp(socket)) {
    answer_result(listener, call, why_none == EBADF ? EBADF : EACCES);
    return true;
  }
  const int error = connect(socket);
  const bool goes_on = error == EINPROGRESS || error == EALREADY;
  const bool waits = (::fcntl(socket.raw(), F_GETFL) & O_NONBLOCK) == 0;
  if (!goes_on || !waits) {
    answer_result(listener, call, error);
  } else if (const auto ended = outcome(socket)) {
    answer_result(listener, call, *ended);
  } else {
    wait_for(std::move(socket), listener, call);
  }
  return true;
}

int ProxyConnector::connect(const sys::Fd& socket) const { return connect_without_waiting(socket.raw(), port_); }

std::optional<int> ProxyConnector::outcome(const sys::Fd& socket) const {
  pollfd state{socket.raw(), POLLOUT, 0};
  if (::poll(&state, 1, 0) <= 0) return std::nullopt;
  if (const int failed = number(socket, SO_ERROR); failed != 0) return failed > 0 ? failed : ECONNABORTED;
  // This second call completes the connection; the socket's later calls then succeed.
  const int error = connect(socket);
  if (error == EALREADY || error == EINPROGRESS) return std::nullopt;
  return error == EISCONN ? 0 : error;
}

void ProxyConnector::wait_for(sys::Fd socket, int listener, const seccomp_notif& call) {
  const int key = socket.raw();
  auto own = sys::Fd::adopt(::fcntl(listener, F_DUPFD_CLOEXEC, 3));
  if (loop_ == nullptr || !own.is_open() || waiting_.size() >= kMostWaiting ||
      !loop_->add(key, sys::EventLoop::Interest::kWrite, [this, key] { check_connection(key); }))
    return answer_result(listener, call, ETIMEDOUT);
  waiting_.emplace(key, PendingConnect{std::move(socket), std::move(own), call});
}

void ProxyConnector::check_connection(int socket) {
  const auto found = waiting_.find(socket);
  if (found == waiting_.end()) return;
  const bool is_there = still_waits(found->second.listener.raw(), found->second.call);
  const auto ended = outcome(found->second.socket);
  if (is_there && !ended) return;
  if (is_there) answer_result(found->second.listener.raw(), found->second.call, *ended);
  loop_->remove(socket);
  waiting_.erase(found);
}

// The same denial as the relay's: rules name every address of the host's loopback "localhost".
std::optional<Denial> ProxyConnector::denial(const seccomp_notif& call, CallerRef caller) const {
  const SyscallRequest request = read_syscall_request(call);
  if (!request.network || request.network->port == 0) return std::nullopt;
  const auto& [address, port, datagram, looks_up] = *request.network;
  const bool here = is_localhost(address);
  const DomainDecision decision = here ? decide(rules_, "localhost", port) : decide(rules_, address, port);
  Denial out;
  out.operation = "connect";
  out.resource = here ? "localhost:" + std::to_string(port) : print_host(address, port);
  if (here)
    out.host = "localhost";
  else
    out.address = print_address(address);
  out.port = port;
  out.source = DenialSource::kObserved;
  set_caller(out, std::move(caller), out.resource);
  out.rule = decision.reason;
  out.allow_with = decision.allow_with;
  if (!here) out.grant = Grant{Grant::Kind::kNetwork, out.resource};
  if (!decision.allowed) return out;
  out.rule = "granted only through the proxy in HTTP_PROXY and ALL_PROXY";
  out.allow_with.clear();
  out.grant.reset();
  out.pid = 0;  // NetworkByName::is_denied() drops a denial with a pid whose address the rules allow
  return out;
}

}  // namespace pinfold::backend::on_linux
