// event_loop.h: one epoll loop with timers; everything the supervisor waits for comes through here.
// Invariant: single-threaded; a handler may add or remove any source, its own included.
// Not here: what the events mean.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::sys {

using Clock = std::chrono::steady_clock;

class EventLoop {
 public:
  enum class Interest : std::uint32_t { kRead = 1, kWrite = 4, kNone = 0 };
  using Handler = std::function<void()>;
  using TimerId = std::uint64_t;

  static Result<EventLoop> create();

  // The descriptor is borrowed: call remove() before closing it. A regular file is "always ready" and is refused by
  // epoll with EPERM; callers handle such descriptors without the loop.
  Result<void> add(int fd, Interest interest, Handler handler);
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
    int fd;
    Handler handler;
  };
  struct Timer {
    TimerId id;
    Clock::time_point due;
    Handler handler;
  };
  int wait_ms() const;
  void fire_timers();

  Fd epoll_;
  std::map<int, std::shared_ptr<Source>> sources_;
  std::vector<Timer> timers_;
  TimerId next_timer_ = 1;
  bool stopped_ = false;
};

}  // namespace pinfold::sys
