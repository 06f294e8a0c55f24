// event_loop.h: one epoll loop with timers; everything the supervisor waits for comes through here.
// Invariant: single-threaded; a handler may add or remove any source, its own included.
// Not here: what the events mean.
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
  // What became possible since the last call. Hang-up and errors count as both: the next read or write tells which.
  struct Ready {
    bool read, write, error;
    bool unusual;  // an end, an error or urgent data: that a read got less than it could does not mean that it got all
  };
  using ReadyHandler = std::function<void(Ready)>;
  using TimerId = std::uint64_t;

  static Result<EventLoop> create();

  // The descriptor is borrowed: call remove() before closing it. A regular file is "always ready" and is refused by
  // epoll with EPERM, an error of kind kInvalid; callers handle such descriptors without the loop.
  Result<void> add(int fd, Interest interest, Handler handler);
  // The same for a source without which its owner would wait for ever: `failed` gets the error, in the next round of
  // the loop, so that it may stop a loop that does not run yet.
  void add_or_report(int fd, Interest interest, Handler handler, std::function<void(const Error&)> failed);
  // Edge-triggered, for reading and writing at once, with no call when interest changes: a descriptor that stays hung
  // up while its other side is slow must not wake the loop again and again. The handler keeps what it did not use up.
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
    std::uint32_t generation;  // tells an event of this descriptor from one of an earlier descriptor of the same number
    ReadyHandler handler;
  };
  Source* source_of(int fd) const;
  Result<void> watch(int fd, std::uint32_t events, ReadyHandler handler);
  int wait_ms() const;
  void fire_timers();

  Fd epoll_;
  std::vector<std::shared_ptr<Source>> sources_;  // by descriptor
  std::uint32_t next_generation_ = 1;
  std::map<std::pair<Clock::time_point, TimerId>, Handler> timers_;  // the next one first
  std::map<TimerId, Clock::time_point> due_;
  TimerId next_timer_ = 1;
  bool stopped_ = false;
};

}  // namespace pinfold::sys
