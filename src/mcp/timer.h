// timer.h: one timer of an event loop; its destructor cancels it.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "sys/event_loop.h"

namespace pinfold::mcp {

class Timer {
 public:
  explicit Timer(sys::EventLoop& loop) : loop_(loop) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  // Replaces an earlier setting.
  void set(std::chrono::milliseconds delay, sys::EventLoop::Handler handler) {
    cancel();
    id_ = loop_.after(std::max(delay, std::chrono::milliseconds(0)), [this, handler = std::move(handler)] {
      id_.reset();
      handler();
    });
  }
  void cancel() {
    if (id_) loop_.cancel(*id_);
    id_.reset();
  }
  bool is_set() const { return id_.has_value(); }

 private:
  sys::EventLoop& loop_;
  std::optional<sys::EventLoop::TimerId> id_;
};

}  // namespace pinfold::mcp
