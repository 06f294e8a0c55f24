// listener_set.h: the desks of a sandbox: one for each command's listener, and all of them ask the same chain.
// Invariant: what a command leaves behind is served as long as it lives; who has left is not told any more.
// Not here: one desk (listener.h).
#pragma once

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "backend/linux/notify/listener.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class CallDesks {
 public:
  // `last`: told when a command's own events have left.
  void open(sys::EventLoop& loop, SandboxEvents& last, std::vector<CallAnswerer*> chain);
  void take(sys::Fd listener, SandboxEvents& events);
  void leave(const SandboxEvents& events);
  // Serves nobody any more; who waits goes on waiting until let_go().
  void close();
  void let_go() { places_.clear(); }
  // Everybody who is told something, once.
  std::set<SandboxEvents*> told() const;
  std::uint64_t served() const;

 private:
  struct Place {
    sys::Fd listener;
    SandboxEvents* events = nullptr;
    CallDesk desk;
  };
  void clear_away();

  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* last_ = nullptr;
  std::vector<CallAnswerer*> chain_;
  std::vector<std::unique_ptr<Place>> places_;
  std::uint64_t served_before_ = 0;
};

}  // namespace pinfold::backend::on_linux
