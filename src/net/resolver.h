// resolver.h: resolves names outside the sandbox, without a thread: by the host's own settings, with c-ares.
// Invariant: a name is queried as it is (no search list); an answer is cached for its time to live, and the cache
// is bounded. Not here: deciding about names or addresses.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/address.h"
#include "sys/event_loop.h"

struct ares_addrinfo;
struct ares_channeldata;

namespace pinfold::net {

struct Resolution {
  enum class Status {
    kFound,
    kNoName,  // there is no such name
    kNoData,  // the name exists, without an address
    kFailed,  // no server answered
  };
  Status status = Status::kFailed;
  std::vector<Address> addresses;
  std::string problem;
};

class Resolver {
 public:
  using Done = std::function<void(const Resolution&)>;
  using Ticket = std::uint64_t;
  virtual ~Resolver() = default;
  // Calls `done` once, perhaps before this returns; then the ticket is 0.
  virtual Ticket resolve(const std::string& name, Done done) = 0;
  virtual void cancel(Ticket ticket) = 0;
};

struct ResolverOptions {
  // Answers that come before everything else, like a hosts file: for split DNS, and for tests.
  std::map<std::string, std::vector<Address>, std::less<>> hosts;
  // "10.0.0.1:53,…" instead of the host's servers.
  std::string servers;
  std::chrono::milliseconds try_for{2500};
  int tries = 3;
  std::size_t most_cached = 4096;
  std::size_t most_waiting = 1024;
};

// Reads the host's settings with the first name, not before: a run without domains has no cost.
class AresResolver : public Resolver {
 public:
  AresResolver(sys::EventLoop& loop, ResolverOptions options) : loop_(loop), options_(std::move(options)) {}
  AresResolver(const AresResolver&) = delete;
  AresResolver& operator=(const AresResolver&) = delete;
  ~AresResolver() override;

  Ticket resolve(const std::string& name, Done done) override;
  void cancel(Ticket ticket) override;

 private:
  struct Waiter {
    Ticket ticket;
    Done done;
  };
  struct Question {
    AresResolver* resolver;
    std::string name;
  };
  struct CacheEntry {
    Resolution resolution;
    sys::Clock::time_point until;
  };
  static void socket_changed(void* self, int fd, int readable, int writable);
  static void answered(void* question, int status, int timeouts, ares_addrinfo* result);
  bool open();
  void schedule();
  void finish(const std::string& name, const Resolution& resolution, std::chrono::seconds keep_for);
  void keep(const std::string& name, const Resolution& resolution, std::chrono::seconds keep_for);

  sys::EventLoop& loop_;
  ResolverOptions options_;
  ares_channeldata* channel_ = nullptr;
  std::map<std::string, std::vector<Waiter>, std::less<>> waiting_;  // one query for all waiters of the same name
  std::vector<Waiter>* answering_ = nullptr;
  std::map<std::string, CacheEntry, std::less<>> cache_;
  std::map<int, sys::EventLoop::Interest> sockets_;
  Ticket next_ticket_ = 1;
  sys::EventLoop::TimerId timer_ = 0;
  bool closing_ = false;
};

}  // namespace pinfold::net
