// dns_service.cc: datagrams and streams in, answers out.
//
// A denial is NXDOMAIN, not REFUSED. glibc treats REFUSED as a fault of the server, retries and returns "temporary
// failure", upon which programs retry themselves; musl ignores it and waits for its time-out. NXDOMAIN ends the
// search in every library with the first answer. If the client supports it, the answer has the extended error
// "Prohibited" (RFC 8914).
#include "net/dns_service.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/try.h"

namespace pinfold::net {
namespace {

using sys::EventLoop;

Bytes answer_for(const dns::Query& query, dns::Transport transport, const NameAnswer& answer) {
  switch (answer.kind) {
    case NameAnswer::Kind::kNoName:
      return dns::answer_no_such_name(query, transport, DnsService::kNegativeTtl, answer.why);
    case NameAnswer::Kind::kFailed: return dns::answer_error(query, transport, dns::Rcode::kServFail, answer.why);
    case NameAnswer::Kind::kNoData: return dns::answer_empty(query, transport, DnsService::kNegativeTtl);
    case NameAnswer::Kind::kAddresses: break;
  }
  if (query.type == dns::Type::kA && answer.v4) {
    dns::Ipv4 bytes{};
    std::copy_n(answer.v4->bytes().begin(), bytes.size(), bytes.begin());
    return dns::answer_a(query, transport, {&bytes, 1}, DnsService::kTtl);
  }
  if (query.type == dns::Type::kAaaa && answer.v6)
    return dns::answer_aaaa(query, transport, {&answer.v6->bytes(), 1}, DnsService::kTtl);
  return dns::answer_empty(query, transport, DnsService::kTtl);
}

}  // namespace

DnsService::~DnsService() {
  for (sys::Fd& each : datagrams_) loop_.remove(each.raw());
  for (sys::Fd& each : listeners_) loop_.remove(each.raw());
  while (!streams_.empty()) close_stream(streams_.begin()->first);
}

Result<void> DnsService::serve_datagrams(sys::Fd socket) {
  std::size_t index = datagrams_.size();
  PF_CHECK(loop_.add(socket.raw(), EventLoop::Interest::kRead, [this, index] { read_datagrams(index); }),
           "serving DNS");
  datagrams_.push_back(std::move(socket));
  return {};
}

Result<void> DnsService::serve_streams(sys::Fd listener) {
  std::size_t index = listeners_.size();
  PF_CHECK(loop_.add(listener.raw(), EventLoop::Interest::kRead, [this, index] { accept(index); }), "serving DNS");
  listeners_.push_back(std::move(listener));
  return {};
}

void DnsService::handle(ByteView message, dns::Transport transport, const Reply& reply) {
  ++queries_;
  auto query = dns::parse_query(message);
  if (!query) return reply(query.error().reply);
  if (query->klass != dns::Class::kInternet) return reply(dns::answer_error(*query, transport, dns::Rcode::kRefused));
  if (*waiting_ >= kMostWaiting) return reply(dns::answer_error(*query, transport, dns::Rcode::kServFail));
  ++*waiting_;
  std::weak_ptr<std::size_t> alive = waiting_;
  names_.look_up(*query, [alive, query = *query, transport, reply](const NameAnswer& answer) {
    auto waiting = alive.lock();
    if (!waiting) return;
    --*waiting;
    reply(answer_for(query, transport, answer));
  });
}

void DnsService::read_datagrams(std::size_t index) {
  std::array<std::uint8_t, dns::kMostQuery> buffer;
  int fd = datagrams_[index].raw();
  for (int i = 0; i < kTurn; ++i) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    ssize_t count =
        ::recvfrom(fd, buffer.data(), buffer.size(), MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&peer), &size);
    if (count < 0 && (errno == EINTR || errno == ECONNREFUSED)) continue;  // an earlier answer had no receiver
    if (count < 0) return;
    handle(ByteView(buffer).first(static_cast<std::size_t>(count)), dns::Transport::kUdp,
           [fd, peer, size](const Bytes& reply) {
             if (reply.empty()) return;
             // A datagram that cannot be sent now is dropped: the client retries.
             ::sendto(fd, reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                      reinterpret_cast<const sockaddr*>(&peer), size);
           });
  }
}

void DnsService::accept(std::size_t index) {
  for (int i = 0; i < kTurn; ++i) {
    sys::Fd socket = sys::Fd::adopt(::accept4(listeners_[index].raw(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) {
      // Without descriptors the oldest stream is closed; otherwise the listener would stay ready and accept no client.
      if ((errno == EMFILE || errno == ENFILE) && !streams_.empty()) close_stream(streams_.begin()->first);
      return;
    }
    if (streams_.size() >= kMostStreams) close_stream(streams_.begin()->first);
    std::uint64_t id = next_stream_++;
    if (!loop_.add(socket.raw(), EventLoop::Interest::kRead, [this, id] { send_stream(id), read_stream(id); }))
      continue;
    streams_[id].socket = std::move(socket);
    touch(id);
  }
}

void DnsService::touch(std::uint64_t id) {
  Stream& stream = streams_[id];
  if (stream.idle != 0) loop_.cancel(stream.idle);
  stream.idle = loop_.after(kStreamIdle, [this, id] {
    auto found = streams_.find(id);
    if (found == streams_.end()) return;
    found->second.idle = 0;
    // A query with a pending approval request keeps its stream.
    if (found->second.open_questions > 0) return touch(id);
    close_stream(id);
  });
}

void DnsService::close_stream(std::uint64_t id) {
  auto found = streams_.find(id);
  if (found == streams_.end()) return;
  if (found->second.idle != 0) loop_.cancel(found->second.idle);
  loop_.remove(found->second.socket.raw());
  streams_.erase(found);
}

void DnsService::read_stream(std::uint64_t id) {
  auto found = streams_.find(id);
  if (found == streams_.end() || !found->second.unsent.empty()) return;
  std::array<std::uint8_t, dns::kMostQuery> buffer;
  ssize_t count = ::recv(found->second.socket.raw(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close_stream(id);
  touch(id);
  ByteView bytes = ByteView(buffer).first(static_cast<std::size_t>(count));
  while (!bytes.empty()) {
    auto state = found->second.reader.feed(bytes);
    if (state == dns::TcpReader::State::kBroken) return close_stream(id);
    if (state == dns::TcpReader::State::kNeedMore) continue;
    ++found->second.open_questions;
    handle(found->second.reader.message(), dns::Transport::kTcp, [this, id](const Bytes& reply) {
      auto stream = streams_.find(id);
      if (stream == streams_.end()) return;
      --stream->second.open_questions;
      if (reply.empty()) return;
      Bytes framed = dns::framed(reply);
      stream->second.unsent.insert(stream->second.unsent.end(), framed.begin(), framed.end());
      send_stream(id);
    });
    found = streams_.find(id);
    if (found == streams_.end()) return;
  }
}

void DnsService::send_stream(std::uint64_t id) {
  auto found = streams_.find(id);
  if (found == streams_.end() || found->second.unsent.empty()) return;
  Stream& stream = found->second;
  while (!stream.unsent.empty()) {
    ssize_t count =
        ::send(stream.socket.raw(), stream.unsent.data(), stream.unsent.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) return close_stream(id);
    if (count < 0) break;
    stream.unsent.erase(stream.unsent.begin(), stream.unsent.begin() + count);
  }
  if (stream.unsent.size() > kMostUnsent) return close_stream(id);  // sends queries and does not read the answers
  auto interest = stream.unsent.empty() ? EventLoop::Interest::kRead : EventLoop::Interest::kWrite;
  loop_.set_interest(stream.socket.raw(), interest);
}

}  // namespace pinfold::net
