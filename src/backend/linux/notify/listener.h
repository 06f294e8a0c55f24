// listener.h: receives trapped system calls from one seccomp listener and passes them to the handlers.
// Invariant: calls are handled one at a time, in the order received; a call that no handler responds to continues in
// the kernel. Never blocks, neither on the listener nor on the caller.
// Not here: refusing calls (guard.cc, landlock/metadata_broker.cc), observing them (observer.cc).
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "backend/linux/notify/handler.h"
#include "sys/event_loop.h"

namespace pinfold::backend::on_linux {

class CallListener {
 public:
  // Calls the handlers of `chain` in this order until one has responded.
  void open(sys::EventLoop& loop, SandboxEvents& events, int listener, std::vector<CallHandler*> chain);
  void close();
  // From now on handlers report to these.
  void set_events(SandboxEvents& events) { events_ = &events; }
  // No process is left under this filter, and no received call is left to handle.
  bool is_done() const { return listener_ < 0 && waiting_.empty() && !is_scheduled_; }
  std::uint64_t served() const { return served_; }

 private:
  void serve();
  void receive_all();
  void answer(const seccomp_notif& call);
  void unregister();

  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
  int listener_ = -1;
  std::vector<CallHandler*> chain_;
  std::deque<seccomp_notif> waiting_;  // received, without a response yet
  std::uint64_t served_ = 0;
  bool is_scheduled_ = false;
};

}  // namespace pinfold::backend::on_linux
