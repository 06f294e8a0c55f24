// event_loop.cc: the loop on Windows: timers alone.
// Invariant: a descriptor cannot be waited for here, and asking for it is an error; what runs is looked at by timer.
// Not here: the timers themselves (event_loop_timers.cc), what they are for.
#include "sys/event_loop.h"

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

Result<void> EventLoop::run() {
  stopped_ = false;
  while (!stopped_) {
    const int left = wait_ms();
    if (left < 0) return fail(ErrorKind::kSystem, "there is nothing left to wait for");
    ::Sleep(static_cast<DWORD>(left));
    fire_timers();
  }
  return {};
}

}  // namespace pinfold::sys
