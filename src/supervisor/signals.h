// signals.h: the signals of this thread while a command runs.
// Invariant: when it ends the mask is as it was, and no SIGPIPE of our own making is left behind.
// Not here: what a signal means (supervisor.cc).
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

  // With kForward each signal that people and job control send comes as a call; SIGPIPE is held back in any case.
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
