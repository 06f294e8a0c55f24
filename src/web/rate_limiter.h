// rate_limiter.h: limits the requests per second of authenticated clients. Safe to use from several threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>

namespace pinfold::web {

class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;
  RateLimiter(double per_second, double burst) : rate_(per_second), burst_(burst), left_(burst) {}

  bool allow(Clock::time_point time = Clock::now()) {
    const std::lock_guard lock(mutex_);
    if (last_ != Clock::time_point())
      left_ = std::min(burst_, left_ + rate_ * std::chrono::duration<double>(time - last_).count());
    last_ = time;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  const double rate_;
  const double burst_;
  double left_;
  Clock::time_point last_{};
  std::mutex mutex_;
};

}  // namespace pinfold::web
