// listener.cc: receives, asks, answers.
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
constexpr int kAtOnce = 64;                  // then the other things that the supervisor waits for have their turn

}  // namespace

void CallDesk::open(sys::EventLoop& loop, SandboxEvents& events, int listener, std::vector<CallAnswerer*> chain) {
  loop_ = &loop;
  events_ = &events;
  listener_ = listener;
  chain_ = std::move(chain);
  ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, kWakeOnSameCpu);  // older kernels refuse: only slower
  loop.add_or_report(
      listener, sys::EventLoop::Interest::kRead, [this] { serve(); },
      [this](const Error& why) { events_->sandbox_gone("its system calls cannot be watched: " + why.text()); });
}

void CallDesk::close() {
  leave();
  loop_ = nullptr;
  waiting_.clear();
}

// Nobody is left who could call.
void CallDesk::leave() {
  if (loop_ != nullptr && listener_ >= 0) loop_->remove(listener_);
  listener_ = -1;
}

void CallDesk::serve() {
  take_all();
  for (int i = 0; i < kAtOnce && !waiting_.empty(); ++i) {
    const seccomp_notif call = waiting_.front();
    waiting_.pop_front();
    ++served_;
    answer(call);
    take_all();
  }
  // The loop does not wake for what was taken already.
  if (waiting_.empty() || loop_ == nullptr || std::exchange(is_coming_back_, true)) return;
  loop_->after(std::chrono::milliseconds(0), [this] {
    is_coming_back_ = false;
    if (loop_ != nullptr) serve();
  });
}

// Until it is taken, a signal interrupts a call that waits, and programs whose handlers do not restart calls would
// notice; after that, only their death does. So everything is taken before anything is answered.
void CallDesk::take_all() {
  while (listener_ >= 0) {
    // Receiving waits for a call, and before 6.11 for ever once the last process under this filter is gone: ask first.
    pollfd state{listener_, POLLIN, 0};
    if (::poll(&state, 1, 0) <= 0) return;
    if ((state.revents & POLLIN) == 0) {
      if ((state.revents & POLLHUP) != 0) leave();
      return;
    }
    seccomp_notif call{};
    // ENOENT: the caller died, or was interrupted, while it waited.
    if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0) waiting_.push_back(call);
  }
}

void CallDesk::answer(const seccomp_notif& call) {
  for (CallAnswerer* each : chain_)
    if (each->answer(listener_, call, *events_)) return;
  answer_call(listener_, call, Answer::kContinue);
}

}  // namespace pinfold::backend::on_linux
