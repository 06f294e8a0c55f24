// signals.cc: a signalfd, and the signal mask of this thread.
#include "supervisor/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "base/try.h"
#include "sys/call.h"

namespace pinfold::supervisor {

Result<void> SignalWatch::start(Signals signals, std::function<void(int)> handler) {
  handler_ = std::move(handler);
  sigset_t watched;
  ::sigemptyset(&watched);
  if (signals == Signals::kForward)
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT, SIGALRM})
      ::sigaddset(&watched, number);
  sigset_t blocked = watched;
  ::sigaddset(&blocked, SIGPIPE);  // a closed reader is reported by EPIPE
  sigset_t pending;
  pipe_was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
  ::pthread_sigmask(SIG_BLOCK, &blocked, &original_);
  started_ = true;
  if (signals == Signals::kLeave) return {};
  PF_TRY(fd, sys::call_fd("signalfd", "", [&] { return ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK); }));
  fd_ = std::move(fd);
  return loop_.add(fd_.raw(), sys::EventLoop::Interest::kRead, [this] {
    signalfd_siginfo info{};
    while (::read(fd_.raw(), &info, sizeof info) == sizeof info) handler_(static_cast<int>(info.ssi_signo));
  });
}

void SignalWatch::stop() {
  if (!std::exchange(started_, false)) return;
  if (fd_.is_open()) loop_.remove(fd_.raw());
  fd_.reset();
  if (!pipe_was_pending_) {
    timespec none{};
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::sigtimedwait(&pipe, nullptr, &none);
  }
  ::pthread_sigmask(SIG_SETMASK, &original_, nullptr);
}

}  // namespace pinfold::supervisor
