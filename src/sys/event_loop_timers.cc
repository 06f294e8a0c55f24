// event_loop_timers.cc: the timers, the same on every system.
#include <algorithm>

#include "sys/event_loop.h"

namespace pinfold::sys {

void EventLoop::add_or_report(int fd, Interest interest, Handler handler, std::function<void(const Error&)> failed) {
  auto added = add(fd, interest, std::move(handler));
  if (added) return;
  after(std::chrono::milliseconds(0), [why = std::move(added).error(), failed = std::move(failed)] { failed(why); });
}

EventLoop::TimerId EventLoop::after(std::chrono::milliseconds delay, Handler handler) {
  TimerId id = next_timer_++;
  auto due = Clock::now() + delay;
  timers_.emplace(std::pair(due, id), std::move(handler));
  due_.emplace(id, due);
  return id;
}

void EventLoop::cancel(TimerId timer) {
  auto found = due_.find(timer);
  if (found == due_.end()) return;
  timers_.erase(std::pair(found->second, timer));
  due_.erase(found);
}

int EventLoop::wait_ms() const {
  if (timers_.empty()) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.first - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void EventLoop::fire_timers() {
  if (timers_.empty()) return;
  auto now = Clock::now();
  // Timers that a handler adds fire in the next round at the earliest: a timer with no delay that renews itself must
  // not starve descriptors.
  TimerId last = next_timer_;
  for (auto next = timers_.begin(); next != timers_.end() && next->first.first <= now;) {
    if (next->first.second >= last) {
      ++next;
      continue;
    }
    auto handler = std::move(next->second);
    cancel(next->first.second);
    handler();
    next = timers_.begin();  // the handler may have cancelled others
  }
}

}  // namespace pinfold::sys
