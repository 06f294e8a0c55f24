// connection.cc: the life of one connection.
// Invariant: after done_ nothing touches a descriptor; every path to an end goes through close().
#include "net/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "net/address_check.h"
#include "net/first_bytes.h"

namespace pinfold::net {
namespace {

// Closing then sends a reset, so the other side sees an error and not an end of stream.
void make_abrupt(const sys::Fd& socket) {
  linger now{.l_onoff = 1, .l_linger = 0};
  if (socket.is_open()) ::setsockopt(socket.raw(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

// For a socket without unsent bytes: its buffer has room.
bool send_all(const sys::Fd& socket, std::string_view text) {
  return text.empty() || ::send(socket.raw(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
                             static_cast<ssize_t>(text.size());
}

}  // namespace

void refuse(const sys::Fd& client, const std::string& reply) {
  if (!send_all(client, reply)) return;
  ::shutdown(client.raw(), SHUT_WR);
  // Unread bytes would turn the end of stream into a reset.
  char buffer[4096];
  while (::recv(client.raw(), buffer, sizeof buffer, MSG_DONTWAIT) > 0) {
  }
}

Connection::Connection(ConnectionOwner& owner, std::uint64_t id, sys::Fd inside, Destination destination,
                       std::optional<ProxyReplies> replies)
    : owner_(owner),
      id_(id),
      inside_(std::move(inside)),
      destination_(std::move(destination)),
      proxy_replies_(std::move(replies)),
      up_(owner.pipes()),
      down_(owner.pipes()),
      began_(sys::Clock::now()),
      last_active_(began_) {}

Connection::~Connection() {
  if (!done_) end(End::kRelayEnded);
}

void Connection::start() {
  int one = 1;
  ::setsockopt(inside_.raw(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  auto added = owner_.loop().add_edge(inside_.raw(), [this](sys::EventLoop::Ready ready) { inside_ready(ready); });
  if (!added) return end(End::kUnreachable);
  checked_ = !has_name_to_check() || (proxy_replies_ && !proxy_replies_->to_server.empty());
  if (destination_.is_localhost()) return dial({Address::v4(0x7f000001), *Address::parse("::1")});
  if (destination_.address) return dial({*destination_.address});
  ticket_ =
      owner_.resolver().resolve(destination_.name, [this](const Resolution& resolution) { resolved(resolution); });
}

void Connection::resolved(const Resolution& resolution) {
  ticket_ = 0;
  if (resolution.status != Resolution::Status::kFound) return end(End::kUnresolved);
  AddressCheck check = check_addresses(owner_.rules(), destination_.name, destination_.port, resolution.addresses);
  if (!check.allowed.empty()) return dial(in_turns(check.allowed));
  if (check.denial) owner_.denied(*std::move(check.denial));
  end(check.denial ? End::kDenied : End::kUnresolved);
}

void Connection::dial(std::vector<Address> addresses) {
  dialer_ = std::make_unique<Dialer>(owner_.loop(), std::move(addresses), destination_.port, owner_.dial_times(),
                                     [this](Result<Dialer::DialResult> result) { connected(std::move(result)); });
  dialer_->start();
}

void Connection::connected(Result<Dialer::DialResult> result) {
  if (!result) return end(End::kUnreachable);
  outside_ = std::move(result->socket);
  address_ = result->address;
  auto added = owner_.loop().add_edge(outside_.raw(), [this](sys::EventLoop::Ready ready) { outside_ready(ready); });
  if (!added) return end(End::kUnreachable);
  // A new connection is writable; the loop reports when it is readable.
  up_.set_readable();
  up_.set_writable();
  down_.set_writable();
  unchecked_bytes_ = true;
  if (!send_proxy_replies()) return end(End::kUnreachable);
  work();
}

bool Connection::send_proxy_replies() {
  if (!proxy_replies_) return true;
  const ProxyReplies replies = *std::exchange(proxy_replies_, std::nullopt);
  return send_all(inside_, replies.connected) && send_all(outside_, replies.to_server);
}

void Connection::inside_ready(sys::EventLoop::Ready ready) {
  if (ready.unusual) up_.set_unusual();
  if (ready.read) up_.set_readable(), unchecked_bytes_ = true;
  if (ready.write) down_.set_writable();
  if (ready.error && (up_.ended() || !outside_.is_open())) return end(End::kResetInside);
  work();
}

void Connection::outside_ready(sys::EventLoop::Ready ready) {
  if (ready.unusual) down_.set_unusual();
  if (ready.read) down_.set_readable();
  if (ready.write) up_.set_writable();
  if (ready.error && down_.ended()) return end(End::kResetOutside);
  work();
}

// Peeks, so that the bytes stay in the socket to be spliced. A silent client does not block the connection: the server
// may send first.
void Connection::check_client_bytes() {
  if (!std::exchange(unchecked_bytes_, false)) return;
  auto buffer = owner_.pipes().scratch();
  ssize_t count = ::recv(inside_.raw(), buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) return end(End::kResetInside);
  // At the end of the stream a peek sees the same bytes again; only the state of the TCP connection shows the end.
  tcp_info info{};
  socklen_t size = sizeof info;
  ::getsockopt(inside_.raw(), IPPROTO_TCP, TCP_INFO, &info, &size);
  auto stream = count == 0 || info.tcpi_state == TCP_CLOSE_WAIT || info.tcpi_state == TCP_CLOSE ? StreamEnd::kEnded
                                                                                                : StreamEnd::kOpen;
  ByteView bytes(reinterpret_cast<const std::uint8_t*>(buffer.data()), static_cast<std::size_t>(count));
  FirstBytesCheck first = check_first_bytes(bytes, stream, destination_.name, destination_.port);
  if (first.outcome == FirstBytesCheck::Outcome::kNeedMore && ++checks_ > kMostChecks)
    first = {FirstBytesCheck::Outcome::kRefuse, NetDenial::Reason::kServerName,
             "the first message comes in too many pieces"};
  if (first.outcome == FirstBytesCheck::Outcome::kPass) checked_ = true;
  if (first.outcome != FirstBytesCheck::Outcome::kRefuse) return;
  owner_.denied({.reason = first.reason,
                 .name = destination_.name,
                 .address = address_,
                 .port = destination_.port,
                 .why = first.why + ", the connection was granted for '" + destination_.name + "'",
                 .allow_with = ""});
  end(End::kDenied);
}

void Connection::work() {
  if (done_ || !outside_.is_open()) return;
  if (!checked_) check_client_bytes();
  if (done_) return;
  std::uint64_t before = up_.bytes() + down_.bytes();
  Flow::Step down = down_.pump(outside_.raw(), inside_.raw());
  Flow::Step up = checked_ ? up_.pump(inside_.raw(), outside_.raw()) : Flow::Step::kWaiting;
  if (up_.bytes() + down_.bytes() != before) last_active_ = sys::Clock::now();
  // Bytes that the other side sent before it failed are still forwarded.
  if (up == Flow::Step::kBrokenTo && down == Flow::Step::kMore) down = down_.pump(outside_.raw(), inside_.raw());
  if (down == Flow::Step::kBrokenTo || up == Flow::Step::kBrokenFrom) return end(End::kResetInside);
  if (down == Flow::Step::kBrokenFrom || up == Flow::Step::kBrokenTo) return end(End::kResetOutside);
  if (up_.ended() && down_.ended()) return close(End::kFinished);
  if (up == Flow::Step::kMore || down == Flow::Step::kMore) owner_.again(*this);
}

void Connection::end(End how) {
  if (done_) return;
  if (proxy_replies_ && inside_.is_open())
    refuse(inside_, proxy_replies_->failed(how, words_for(how)));
  else
    make_abrupt(inside_);
  if (!has_sent_all()) make_abrupt(outside_);
  close(how);
}

void Connection::close(End how) {
  done_ = true;
  if (ticket_ != 0) owner_.resolver().cancel(ticket_);
  dialer_.reset();
  for (sys::Fd* each : {&inside_, &outside_}) {
    if (each->is_open()) owner_.loop().remove(each->raw());
    each->reset();
  }
  auto lasted = std::chrono::duration_cast<std::chrono::milliseconds>(sys::Clock::now() - began_);
  owner_.finished(*this, {.name = destination_.name,
                          .address = address_,
                          .port = destination_.port,
                          .bytes_up = up_.bytes(),
                          .bytes_down = down_.bytes(),
                          .duration = lasted,
                          .end = how});
}

}  // namespace pinfold::net
