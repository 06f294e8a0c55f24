// event_loop.h: one epoll loop with timers; the supervisor waits for every event here.
// Invariant: single-threaded; a handler may add or remove any source, its own included.
// Not here: handling the events.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::sys {

using Clock = std::chrono::steady_clock;

class EventLoop {
 public:
  enum class Interest : std::uint32_t { kRead = 1, kWrite = 4, kBoth = 5, kNone = 0 };
  using Handler = std::function<void()>;
  // The operations that became possible since the last call. A hang-up or an error sets both: the next read or write
  // fails with the reason.
  struct Ready {
    bool read, write, error;
    bool unusual;  // end of file, error or urgent data: a short read does not mean that the buffer is empty
  };
  using ReadyHandler = std::function<void(Ready)>;
  using TimerId = std::uint64_t;

  static Result<EventLoop> create();

  // The descriptor is borrowed: call remove() before closing it. epoll refuses a regular file, which is always ready,
  // with EPERM: an error of kind kInvalid. Callers handle such descriptors without the loop.
  Result<void> add(int fd, Interest interest, Handler handler);
  // The same for a source without which its owner would wait for ever. On an error the loop calls `failed` in its next
  // round: it can then stop a loop that was not running yet at this call.
  void add_or_report(int fd, Interest interest, Handler handler, std::function<void(const Error&)> failed);
  // Edge-triggered, for reading and writing at once: interest never changes, and a descriptor that stays hung up while
  // its other side is slow wakes the loop once only. The handler must remember unused readiness.
  Result<void> add_edge(int fd, ReadyHandler handler);
  void set_interest(int fd, Interest interest);
  void remove(int fd);

  TimerId after(std::chrono::milliseconds delay, Handler handler);
  void cancel(TimerId timer);

  // Runs until stop() is called from a handler.
  Result<void> run();
  void stop() { stopped_ = true; }

 private:
  explicit EventLoop(Fd epoll) : epoll_(std::move(epoll)) {}
  struct Source {
    std::uint32_t generation;  // differs from that of an earlier descriptor with the same number
    ReadyHandler handler;
  };
  Source* source_of(int fd) const;
  Result<void> watch(int fd, std::uint32_t events, ReadyHandler handler);
  int wait_ms() const;
  void fire_timers();

  Fd epoll_;
  std::vector<std::shared_ptr<Source>> sources_;  // by descriptor
  std::uint32_t next_generation_ = 1;
  std::map<std::pair<Clock::time_point, TimerId>, Handler> timers_;  // the earliest first
  std::map<TimerId, Clock::time_point> due_;
  TimerId next_timer_ = 1;
  bool stopped_ = false;
};

}  // namespace pinfold::sys
