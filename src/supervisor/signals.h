// signals.h: forwards this thread's signals while a command runs.
// Invariant: stop() restores the signal mask and removes a pending SIGPIPE that Pinfold caused.
// Not here: reactions to a signal (supervisor.cc).
#pragma once

#include <csignal>
#include <functional>

#include "supervisor/supervisor.h"
#include "sys/event_loop.h"
#include "sys/fd.h"

namespace pinfold::supervisor {

class SignalWatch {
 public:
  explicit SignalWatch(sys::EventLoop& loop) : loop_(loop) {}
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch() { stop(); }

  // With kForward `handler` gets each signal of users and of job control; SIGPIPE is blocked in any case.
  Result<void> start(Signals signals, std::function<void(int)> handler);
  void stop();

 private:
  sys::EventLoop& loop_;
  std::function<void(int)> handler_;
  sys::Fd fd_;
  sigset_t original_{};
  bool started_ = false;
  bool pipe_was_pending_ = false;
};

}  // namespace pinfold::supervisor
