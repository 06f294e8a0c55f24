// janitor.h: a small process that outlives a killed supervisor and cleans up after it.
// Invariant: started before the first thing that needs cleaning exists; does nothing if it is stopped.
// Not here: the cleaning (given as a function).
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
  Janitor(Janitor&& other) noexcept : pid_(std::exchange(other.pid_, -1)), socket_(std::move(other.socket_)) {}
  Janitor& operator=(Janitor&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(socket_, other.socket_);
    return *this;
  }
  Janitor(const Janitor&) = delete;
  Janitor& operator=(const Janitor&) = delete;
  ~Janitor() { stop(); }

  // `cleanup` runs in the janitor once the supervisor has exited and init (`sandbox_pidfd`) has ended, at most 5 s
  // later. Descriptors in `keep` stay open for it.
  static Result<Janitor> start(int sandbox_pidfd, std::vector<int> keep, const std::function<void()>& cleanup);
  void stop();
  // The supervisor could not remove everything: `cleanup` runs in the janitor now, and has ended when this returns.
  void clean_up_now();

 private:
  void wait_for_end();

  pid_t pid_ = -1;
  sys::Fd socket_;
};

}  // namespace pinfold::backend::on_linux
