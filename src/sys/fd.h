// fd.h: Fd owns one descriptor and does not convert to int or bool.
// Invariant: closed exactly once; a moved-from Fd owns nothing.
#pragma once

#include <unistd.h>

#include <utility>

namespace pinfold::sys {

class Fd {
 public:
  Fd() = default;
  static Fd adopt(int raw) { return Fd(raw); }

  Fd(Fd&& other) noexcept : raw_(std::exchange(other.raw_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      raw_ = std::exchange(other.raw_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int raw() const { return raw_; }
  bool is_open() const { return raw_ >= 0; }
  void reset() {
    if (raw_ >= 0) ::close(raw_);
    raw_ = -1;
  }
  // Gives up ownership.
  int release() { return std::exchange(raw_, -1); }

 private:
  explicit Fd(int raw) : raw_(raw) {}
  int raw_ = -1;
};

}  // namespace pinfold::sys
