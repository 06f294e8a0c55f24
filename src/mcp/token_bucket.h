// token_bucket.h: a token bucket that may go into debt.
// Not here: a clock; the caller passes the time in.
#pragma once

#include <algorithm>
#include <chrono>

#include "mcp/limits.h"

namespace pinfold::mcp {

class TokenBucket {
 public:
  TokenBucket(double each_second, double at_once) : rate_(each_second), most_(at_once), left_(at_once) {}

  // Takes one token even from an empty bucket; the caller then waits for debt().
  void take(Time now) {
    left_ = std::min(most_, left_ + rate_ * std::chrono::duration<double>(now - last_).count()) - 1;
    last_ = now;
  }
  // The time until the debt is paid.
  milliseconds debt() const {
    return left_ >= 0 ? milliseconds(0)
                      : std::chrono::ceil<milliseconds>(std::chrono::duration<double>(-left_ / rate_));
  }

 private:
  double rate_, most_, left_;
  Time last_{};
};

}  // namespace pinfold::mcp
