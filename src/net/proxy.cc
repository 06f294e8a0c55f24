// proxy.cc: clients until they have sent their request.
// Invariant: only the bytes of the message itself are taken from the socket; the rest is for the server.
#include "net/proxy.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "base/try.h"
#include "sys/call.h"

namespace pinfold::net {
namespace {

constexpr int kTurn = 64;  // accepts, so that a flood leaves time for the others

bool send_text(const sys::Fd& socket, const std::string& text) {
  return ::send(socket.raw(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(text.size());
}

ProxyReplies proxy_replies(const ProxyStep& step) {
  const ProxyMode mode = step.mode;
  return {.connected = proxy_reply(mode, ProxyResult::kConnected, ""),
          .failed =
              [mode](End how, const std::string& why) {
                return proxy_reply(mode, how == End::kDenied ? ProxyResult::kDenied : ProxyResult::kUnreachable, why);
              },
          .to_server = step.head};
}

// The host's own loopback has one name in rules.
Destination destination_of(const ProxyStep& step) {
  if (step.host.kind == HostText::Kind::kName) return {step.host.text, std::nullopt, step.port};
  if (step.host.text == "127.0.0.1" || step.host.text == "::1") return {"localhost", std::nullopt, step.port};
  return {"", Address::parse(step.host.text), step.port};
}

}  // namespace

Proxy::Proxy(sys::EventLoop& loop, Relay& relay, std::string token, ProxyOptions options)
    : loop_(loop), relay_(relay), token_(std::move(token)), options_(options) {}

Proxy::~Proxy() {
  if (listener_.is_open()) loop_.remove(listener_.raw());
  while (!clients_.empty()) release(clients_.begin()->first);
}

Result<void> Proxy::start(std::uint16_t port) {
  if (token_.empty()) return fail(ErrorKind::kInvalid, "a proxy without a token");
  sys::Fd socket = sys::Fd::adopt(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_storage storage{};
  socklen_t size = Address::v4(0x7f000001).put(port, storage);
  if (!socket.is_open() || ::bind(socket.raw(), reinterpret_cast<const sockaddr*>(&storage), size) != 0 ||
      ::listen(socket.raw(), SOMAXCONN) != 0 ||
      ::getsockname(socket.raw(), reinterpret_cast<sockaddr*>(&storage), &size) != 0)
    return tl::unexpected<Error>(sys::os_error("listen", "127.0.0.1:" + std::to_string(port), errno));
  sockaddr_in bound{};
  std::memcpy(&bound, &storage, sizeof bound);
  port_ = ntohs(bound.sin_port);
  PF_CHECK(loop_.add(socket.raw(), sys::EventLoop::Interest::kRead, [this] { accept(); }), "listening");
  listener_ = std::move(socket);
  return {};
}

void Proxy::accept() {
  for (int i = 0; i < kTurn; ++i) {
    sys::Fd socket = sys::Fd::adopt(::accept4(listener_.raw(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) {
      if (errno == ECONNABORTED || errno == EINTR) continue;
      if (errno != EMFILE && errno != ENFILE) return;
      // The oldest client without a request is closed; a full descriptor table must not make the loop spin.
      if (clients_.empty()) return;
      release(clients_.begin()->first);
      continue;
    }
    if (clients_.size() >= options_.most_clients) release(clients_.begin()->first);
    const Id id = next_++;
    Client& client = clients_[id];
    client.socket = std::move(socket);
    client.limit = loop_.after(options_.patience, [this, id] {
      if (const auto found = clients_.find(id); found != clients_.end()) found->second.limit = 0;
      release(id);
    });
    if (!loop_.add_edge(client.socket.raw(), [this, id](sys::EventLoop::Ready ready) {
          if (ready.read || ready.error) read(id);
        })) {
      release(id);
      continue;
    }
    read(id);
  }
}

sys::Fd Proxy::release(Id id) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return {};
  if (found->second.limit != 0) loop_.cancel(found->second.limit);
  sys::Fd socket = std::move(found->second.socket);
  if (socket.is_open()) loop_.remove(socket.raw());
  clients_.erase(found);
  return socket;
}

void Proxy::read(Id id) {
  for (;;) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    Client& client = found->second;
    char buffer[kLongestProxyMessage];
    const ssize_t count = ::recv(client.socket.raw(), buffer, sizeof buffer, MSG_PEEK | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      release(id);
      return;
    }
    if (client.handed_on) return;
    ProxyStep step = read_for_proxy(client.stage, as_bytes({buffer, static_cast<std::size_t>(count)}), token_);
    if (step.outcome == ProxyStep::Outcome::kNeedMore) {
      if (static_cast<std::size_t>(count) == sizeof buffer) release(id);
      return;
    }
    if (step.outcome == ProxyStep::Outcome::kRefused) return refuse(release(id), step.reply);
    if (::recv(client.socket.raw(), buffer, step.taken, MSG_DONTWAIT) != static_cast<ssize_t>(step.taken) ||
        (!step.reply.empty() && !send_text(client.socket, step.reply))) {
      release(id);
      return;
    }
    if (step.outcome == ProxyStep::Outcome::kConnect) return hand_on(id, step);
    client.stage = step.next;
  }
}

void Proxy::hand_on(Id id, const ProxyStep& step) {
  Client& client = clients_[id];
  client.handed_on = true;
  // The name may need an approval request, which has no time limit here.
  if (client.limit != 0) loop_.cancel(std::exchange(client.limit, 0));
  const Destination destination = destination_of(step);
  auto go = [self = std::weak_ptr<Proxy*>(self_), id, destination, replies = proxy_replies(step)] {
    const auto proxy = self.lock();
    if (!proxy) return;
    if (sys::Fd socket = (*proxy)->release(id); socket.is_open())
      (*proxy)->relay_.take(std::move(socket), destination, replies);
  };
  if (destination.name.empty() || destination.is_localhost()) return go();
  relay_.consider(destination.name, std::move(go));
}

std::vector<std::pair<std::string, std::string>> proxy_variables(std::uint16_t port, const std::string& token) {
  const std::string place = "pinfold:" + token + "@127.0.0.1:" + std::to_string(port);
  const std::string http = "http://" + place, socks = "socks5h://" + place;
  // No exceptions: the sandbox has no loopback of its own, and a port of the host's loopback needs a grant like any
  // other.
  const std::string none;
  // Node reads the other variables only if this one is set.
  return {{"HTTP_PROXY", http},  {"http_proxy", http}, {"HTTPS_PROXY", http},
          {"https_proxy", http}, {"ALL_PROXY", socks}, {"all_proxy", socks},
          {"NO_PROXY", none},    {"no_proxy", none},   {"NODE_USE_ENV_PROXY", "1"}};
}

}  // namespace pinfold::net
