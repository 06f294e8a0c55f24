// signals.cc: a kqueue for signals, and the signal mask of this thread, for macOS.
// Invariant: a signal that the handler got is not delivered again when the mask is restored.
#include "supervisor/signals.h"

#include <sys/event.h>
#include <unistd.h>

#include <utility>

#include "base/try.h"
#include "sys/call.h"

namespace pinfold::supervisor {
namespace {

// A blocked signal stays pending after kevent() has reported it.
void take_pending(int number) {
  sigset_t pending;
  if (::sigpending(&pending) != 0 || sigismember(&pending, number) != 1) return;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  int got = 0;
  ::sigwait(&one, &got);
}

}  // namespace

Result<void> SignalWatch::start(Signals signals, std::function<void(int)> handler) {
  handler_ = std::move(handler);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGPIPE);  // a closed reader is reported by EPIPE
  constexpr int kForwarded[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                                SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT, SIGALRM};
  if (signals == Signals::kForward)
    for (const int number : kForwarded) sigaddset(&blocked, number);
  sigset_t pending;
  pipe_was_pending_ = ::sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
  ::pthread_sigmask(SIG_BLOCK, &blocked, &original_);
  started_ = true;
  if (signals == Signals::kLeave) return {};
  PF_TRY(fd, sys::call_fd("kqueue", "signals", [] { return ::kqueue(); }));
  ::fcntl(fd.raw(), F_SETFD, FD_CLOEXEC);
  for (const int number : kForwarded) {
    struct kevent change {};
    EV_SET(&change, static_cast<std::uintptr_t>(number), EVFILT_SIGNAL, EV_ADD, 0, 0, nullptr);
    PF_TRY(added, sys::call("kevent", "signals", [&] { return ::kevent(fd.raw(), &change, 1, nullptr, 0, nullptr); }));
    static_cast<void>(added);
  }
  fd_ = std::move(fd);
  return loop_.add(fd_.raw(), sys::EventLoop::Interest::kRead, [this] {
    struct kevent event {};
    const timespec none{};
    while (fd_.is_open() && ::kevent(fd_.raw(), nullptr, 0, &event, 1, &none) == 1) {
      const auto number = static_cast<int>(event.ident);
      take_pending(number);
      handler_(number);
    }
  });
}

void SignalWatch::stop() {
  if (!std::exchange(started_, false)) return;
  if (fd_.is_open()) loop_.remove(fd_.raw());
  fd_.reset();
  if (!pipe_was_pending_) take_pending(SIGPIPE);
  ::pthread_sigmask(SIG_SETMASK, &original_, nullptr);
}

}  // namespace pinfold::supervisor
