// rate_limiter.h: limits the requests per second of authenticated clients. Safe to use from several threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>

namespace pinfold::web {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;
  Pace(double each_second, double at_once) : rate_(each_second), most_(at_once), left_(at_once) {}

  bool may_go(Clock::time_point time = Clock::now()) {
    const std::lock_guard lock(mutex_);
    if (last_ != Clock::time_point())
      left_ = std::min(most_, left_ + rate_ * std::chrono::duration<double>(time - last_).count());
    last_ = time;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  const double rate_;
  const double most_;
  double left_;
  Clock::time_point last_{};
  std::mutex mutex_;
};

}  // namespace pinfold::web
