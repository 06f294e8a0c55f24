// dns_service.h: the DNS stub's sockets: receives queries over UDP and TCP, and sends the answers of the name service.
// Invariant: no query is forwarded to another server; memory is bounded for any input.
// Not here: decisions about names (name_service.h), message formats (dns_message.h).
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/dns_message.h"
#include "net/name_service.h"
#include "sys/event_loop.h"
#include "sys/fd.h"

namespace pinfold::net {

class DnsService {
 public:
  static constexpr std::size_t kMostStreams = 64;
  static constexpr std::size_t kMostWaiting = 1024;
  static constexpr std::size_t kMostUnsent = 64 * 1024;
  static constexpr std::chrono::seconds kStreamIdle{10};
  static constexpr int kTurn = 64;
  // Addresses do not change during a run; but a program that caches one without end would not query again after a rule
  // changed.
  static constexpr std::uint32_t kTtl = 60;
  // The user may grant the name at any time, so a negative answer has a short time to live.
  static constexpr std::uint32_t kNegativeTtl = 1;

  DnsService(sys::EventLoop& loop, NameService& names) : loop_(loop), names_(names) {}
  DnsService(const DnsService&) = delete;
  DnsService& operator=(const DnsService&) = delete;
  ~DnsService();

  // Bound and non-blocking; several of each are fine.
  Result<void> serve_datagrams(sys::Fd socket);
  Result<void> serve_streams(sys::Fd listener);

  std::uint64_t queries() const { return queries_; }
  std::size_t waiting() const { return *waiting_; }

 private:
  using Reply = std::function<void(const Bytes&)>;  // empty: send nothing
  struct Stream {
    sys::Fd socket;
    dns::TcpReader reader;
    Bytes unsent;
    std::size_t open_questions = 0;
    sys::EventLoop::TimerId idle = 0;
  };
  void read_datagrams(std::size_t index);
  void accept(std::size_t index);
  void read_stream(std::uint64_t id);
  void send_stream(std::uint64_t id);
  void close_stream(std::uint64_t id);
  void touch(std::uint64_t id);
  void handle(ByteView message, dns::Transport transport, const Reply& reply);

  sys::EventLoop& loop_;
  NameService& names_;
  std::vector<sys::Fd> datagrams_;
  std::vector<sys::Fd> listeners_;
  std::map<std::uint64_t, Stream> streams_;
  std::uint64_t next_stream_ = 1;
  std::uint64_t queries_ = 0;
  // Shared with answers that are still to come: an answer after destruction finds it expired.
  std::shared_ptr<std::size_t> waiting_ = std::make_shared<std::size_t>(0);
};

}  // namespace pinfold::net
