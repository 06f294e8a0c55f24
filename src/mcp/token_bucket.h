// token_bucket.h: how much of something is allowed in a second, as time goes by.
// Not here: a clock.
#pragma once

#include <algorithm>
#include <chrono>

#include "mcp/limits.h"

namespace pinfold::mcp {

class Allowance {
 public:
  Allowance(double each_second, double at_once) : rate_(each_second), most_(at_once), left_(at_once) {}

  // Always takes: what is beyond the allowance is a debt, and has to be waited for.
  void take(Time now) {
    left_ = std::min(most_, left_ + rate_ * std::chrono::duration<double>(now - last_).count()) - 1;
    last_ = now;
  }
  // How long until there is no debt.
  milliseconds debt() const {
    return left_ >= 0 ? milliseconds(0)
                      : std::chrono::ceil<milliseconds>(std::chrono::duration<double>(-left_ / rate_));
  }

 private:
  double rate_, most_, left_;
  Time last_{};
};

}  // namespace pinfold::mcp
