// event_loop.cc: epoll and a small list of timers.
#include "sys/event_loop.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "sys/call.h"

namespace pinfold::sys {

Result<EventLoop> EventLoop::create() {
  PF_TRY(epoll, call_fd("epoll_create1", "", [] { return ::epoll_create1(EPOLL_CLOEXEC); }), "making the event loop");
  return EventLoop(std::move(epoll));
}

Result<void> EventLoop::add(int fd, Interest interest, Handler handler) {
  epoll_event event{};
  event.events = static_cast<std::uint32_t>(interest);
  event.data.fd = fd;
  PF_TRY(done, call("epoll_ctl", "add", [&] { return ::epoll_ctl(epoll_.raw(), EPOLL_CTL_ADD, fd, &event); }), "");
  static_cast<void>(done);
  sources_[fd] = std::make_shared<Source>(Source{fd, std::move(handler)});
  return {};
}

void EventLoop::set_interest(int fd, Interest interest) {
  epoll_event event{};
  event.events = static_cast<std::uint32_t>(interest);
  event.data.fd = fd;
  ::epoll_ctl(epoll_.raw(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::remove(int fd) {
  if (sources_.erase(fd) > 0) ::epoll_ctl(epoll_.raw(), EPOLL_CTL_DEL, fd, nullptr);
}

EventLoop::TimerId EventLoop::after(std::chrono::milliseconds delay, Handler handler) {
  TimerId id = next_timer_++;
  timers_.push_back(Timer{id, Clock::now() + delay, std::move(handler)});
  return id;
}

void EventLoop::cancel(TimerId timer) {
  std::erase_if(timers_, [&](const Timer& each) { return each.id == timer; });
}

int EventLoop::wait_ms() const {
  if (timers_.empty()) return -1;
  auto next =
      std::min_element(timers_.begin(), timers_.end(), [](const Timer& a, const Timer& b) { return a.due < b.due; });
  auto left = std::chrono::ceil<std::chrono::milliseconds>(next->due - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void EventLoop::fire_timers() {
  auto now = Clock::now();
  std::vector<Timer> due;
  for (auto& timer : timers_)
    if (timer.due <= now) due.push_back(timer);
  for (auto& timer : due) {
    cancel(timer.id);
    timer.handler();
  }
}

Result<void> EventLoop::run() {
  stopped_ = false;
  std::array<epoll_event, 32> events{};
  while (!stopped_) {
    int count = ::epoll_wait(epoll_.raw(), events.data(), static_cast<int>(events.size()), wait_ms());
    if (count < 0 && errno != EINTR) return tl::unexpected<Error>(os_error("epoll_wait", "", errno));
    for (int i = 0; i < count && !stopped_; ++i) {
      auto found = sources_.find(events[static_cast<std::size_t>(i)].data.fd);
      if (found == sources_.end()) continue;  // removed by an earlier handler of this round
      auto source = found->second;            // keeps the handler alive while it runs
      source->handler();
    }
    if (!stopped_) fire_timers();
  }
  return {};
}

}  // namespace pinfold::sys
