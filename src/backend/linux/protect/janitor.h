// janitor.h: a tiny process that outlives a killed supervisor and cleans up after it.
// Invariant: hired before the first thing that needs cleaning exists; does nothing if it is dismissed.
// Not here: what is cleaned (given as a function).
#pragma once

#include <sys/types.h>

#include <functional>
#include <utility>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class Janitor {
 public:
  Janitor() = default;
  Janitor(Janitor&& other) noexcept : pid_(std::exchange(other.pid_, -1)), line_(std::move(other.line_)) {}
  Janitor& operator=(Janitor&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(line_, other.line_);
    return *this;
  }
  Janitor(const Janitor&) = delete;
  Janitor& operator=(const Janitor&) = delete;
  ~Janitor() { dismiss(); }

  // `cleanup` runs in the janitor once the supervisor has died and every process behind `sandbox` is gone. Descriptors
  // in `keep` stay open for it.
  static Result<Janitor> hire(int sandbox_pidfd, std::vector<int> keep, const std::function<void()>& cleanup);
  void dismiss();
  // The supervisor could not remove everything: `cleanup` runs in the janitor now, and has ended when this returns.
  void clean_up_now();

 private:
  void wait_for_end();

  pid_t pid_ = -1;
  sys::Fd line_;
};

}  // namespace pinfold::backend::on_linux
