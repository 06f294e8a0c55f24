// event_loop.cc: the loop on Windows: timers alone.
// Invariant: add() fails for every descriptor; callers poll processes with a timer.
// Not here: the timers themselves (event_loop_timers.cc).
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
    if (left < 0) return fail(ErrorKind::kSystem, "the event loop has no timer to wait for");
    ::Sleep(static_cast<DWORD>(left));
    fire_timers();
  }
  return {};
}

}  // namespace pinfold::sys
