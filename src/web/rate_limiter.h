// rate_limiter.h: limits the requests per second of authenticated clients. Safe to use from several threads.
#pragma once

#include <mutex>

#include "base/token_bucket.h"

namespace pinfold::web {

class RateLimiter {
 public:
  RateLimiter(double per_second, double at_once) : bucket_(per_second, at_once) {}

  bool allow() {
    const std::lock_guard lock(mutex_);
    return bucket_.try_take(std::chrono::steady_clock::now());
  }

 private:
  std::mutex mutex_;
  TokenBucket bucket_;
};

}  // namespace pinfold::web
