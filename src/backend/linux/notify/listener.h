// listener.h: where trapped system calls arrive and get their answer.
// Invariant: every call that is taken is answered before the next; whom nobody refuses goes on to the kernel's own
// judgement. Never waits: not for a call, not for whoever made it.
// Not here: what is refused (guard.cc, landlock/metadata_broker.cc), what is only seen (observer.cc).
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "backend/linux/notify/handler.h"
#include "sys/event_loop.h"

namespace pinfold::backend::on_linux {

class CallDesk {
 public:
  // `chain`: asked in this order, until one has answered.
  void open(sys::EventLoop& loop, SandboxEvents& events, int listener, std::vector<CallAnswerer*> chain);
  void close();
  // From now on what is seen is told to these.
  void tell(SandboxEvents& events) { events_ = &events; }
  // Nobody is left who could call, and nothing is left to do.
  bool is_done() const { return listener_ < 0 && waiting_.empty() && !is_coming_back_; }
  std::uint64_t served() const { return served_; }

 private:
  void serve();
  void take_all();
  void answer(const seccomp_notif& call);
  void leave();

  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
  int listener_ = -1;
  std::vector<CallAnswerer*> chain_;
  std::deque<seccomp_notif> waiting_;  // taken, not answered
  std::uint64_t served_ = 0;
  bool is_coming_back_ = false;
};

}  // namespace pinfold::backend::on_linux
