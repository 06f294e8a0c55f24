// token_bucket.h: limits a rate: so many tokens a second, and so many at once after a pause.
// Invariant: it never holds more tokens than `at_once`. Not here: a clock (the caller passes the time), locks.
#pragma once

#include <algorithm>
#include <chrono>

namespace pinfold {

class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;
  TokenBucket(double per_second, double at_once) : rate_(per_second), most_(at_once), left_(at_once) {}

  // Takes one token, or none if there is no whole token.
  bool try_take(Time now) {
    refill(now);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }
  // Takes one token even from an empty bucket; the caller then waits for debt().
  void take(Time now) {
    refill(now);
    left_ -= 1;
  }
  // The time until the debt is paid.
  std::chrono::milliseconds debt() const {
    using std::chrono::milliseconds;
    return left_ >= 0 ? milliseconds(0)
                      : std::chrono::ceil<milliseconds>(std::chrono::duration<double>(-left_ / rate_));
  }

 private:
  void refill(Time now) {
    left_ = std::min(most_, left_ + rate_ * std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }
  double rate_, most_, left_;
  Time last_{};  // the bucket begins full, so any first difference is correct
};

}  // namespace pinfold
