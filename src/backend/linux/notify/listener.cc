// listener.cc: receives trapped calls, runs the handlers, sends the response.
#include "backend/linux/notify/listener.h"

#include <poll.h>
#include <sys/ioctl.h>

#include <chrono>

#include "backend/linux/notify/trapped_call.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif

namespace pinfold::backend::on_linux {
namespace {

constexpr unsigned long kWakeOnSameCpu = 1;  // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP, since 6.6: halves the cost of a trap
constexpr int kAtOnce = 64;                  // calls per turn of the event loop, so that other descriptors get theirs

}  // namespace

void CallListener::open(sys::EventLoop& loop, SandboxEvents& events, int listener, std::vector<CallHandler*> chain) {
  loop_ = &loop;
  events_ = &events;
  listener_ = listener;
  chain_ = std::move(chain);
  ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, kWakeOnSameCpu);  // older kernels refuse: only slower
  loop.add_or_report(
      listener, sys::EventLoop::Interest::kRead, [this] { serve(); },
      [this](const Error& why) { events_->sandbox_gone("its system calls cannot be watched: " + why.text()); });
}

void CallListener::close() {
  unregister();
  loop_ = nullptr;
  waiting_.clear();
}

// POLLHUP: no process is left under this filter.
void CallListener::unregister() {
  if (loop_ != nullptr && listener_ >= 0) loop_->remove(listener_);
  listener_ = -1;
}

void CallListener::serve() {
  receive_all();
  for (int i = 0; i < kAtOnce && !waiting_.empty(); ++i) {
    const seccomp_notif call = waiting_.front();
    waiting_.pop_front();
    ++served_;
    answer(call);
    receive_all();
  }
  // The loop does not wake for calls that were received already.
  if (waiting_.empty() || loop_ == nullptr || std::exchange(is_scheduled_, true)) return;
  loop_->after(std::chrono::milliseconds(0), [this] {
    is_scheduled_ = false;
    if (loop_ != nullptr) serve();
  });
}

// A signal interrupts a trapped call until the supervisor has received it; programs whose signal handlers lack
// SA_RESTART would get EINTR. A received call ends early only if its caller dies. So all calls are received first.
void CallListener::receive_all() {
  while (listener_ >= 0) {
    // SECCOMP_IOCTL_NOTIF_RECV blocks without a call; before 6.11 for ever once the last process under this filter has
    // exited. So poll first.
    pollfd state{listener_, POLLIN, 0};
    if (::poll(&state, 1, 0) <= 0) return;
    if ((state.revents & POLLIN) == 0) {
      if ((state.revents & POLLHUP) != 0) unregister();
      return;
    }
    seccomp_notif call{};
    // ENOENT: the caller died, or a signal interrupted it.
    if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0) waiting_.push_back(call);
  }
}

void CallListener::answer(const seccomp_notif& call) {
  for (CallHandler* each : chain_)
    if (each->answer(listener_, call, *events_)) return;
  for (CallHandler* each : chain_) each->before_continue(call);
  answer_call(listener_, call, CallResponse::kContinue);
}

}  // namespace pinfold::backend::on_linux
