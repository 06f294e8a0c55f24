// event_loop.cc: the loop on Windows: timers alone.
// Invariant: a descriptor cannot be waited for here, and asking for it is an error; what runs is looked at by timer.
// Not here: what the timers are for.
#include "sys/event_loop.h"

#include <utility>

#include "sys/windows/winapi.h"

namespace pinfold::sys {

Result<EventLoop> EventLoop::create() { return EventLoop(Fd()); }

namespace {
auto no_descriptors() {
  return fail(ErrorKind::kUnavailable, "descriptors cannot be waited for on Windows", "use a timer");
}
}  // namespace

Result<void> EventLoop::add(int /*fd*/, Interest /*interest*/, Handler /*handler*/) { return no_descriptors(); }
Result<void> EventLoop::add_edge(int /*fd*/, ReadyHandler /*handler*/) { return no_descriptors(); }
void EventLoop::set_interest(int /*fd*/, Interest /*interest*/) {}
void EventLoop::remove(int /*fd*/) {}

EventLoop::TimerId EventLoop::after(std::chrono::milliseconds delay, Handler handler) {
  const TimerId id = next_timer_++;
  const Clock::time_point due = Clock::now() + delay;
  timers_.emplace(std::pair(due, id), std::move(handler));
  due_.emplace(id, due);
  return id;
}

void EventLoop::cancel(TimerId timer) {
  const auto found = due_.find(timer);
  if (found == due_.end()) return;
  timers_.erase({found->second, timer});
  due_.erase(found);
}

void EventLoop::fire_timers() {
  while (!stopped_ && !timers_.empty() && timers_.begin()->first.first <= Clock::now()) {
    auto first = timers_.extract(timers_.begin());
    due_.erase(first.key().second);
    first.mapped()();
  }
}

Result<void> EventLoop::run() {
  stopped_ = false;
  while (!stopped_) {
    if (timers_.empty()) return fail(ErrorKind::kSystem, "there is nothing left to wait for");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.first - Clock::now());
    if (left.count() > 0) ::Sleep(static_cast<DWORD>(std::min<long long>(left.count(), 1000)));
    fire_timers();
  }
  return {};
}

}  // namespace pinfold::sys
