// event_loop.cc: epoll. Not here: timers (event_loop_timers.cc), macOS (darwin/event_loop.cc).
#include "sys/event_loop.h"

#include <sys/epoll.h>

#include <array>

#include "base/try.h"
#include "sys/call.h"

namespace pinfold::sys {

Result<EventLoop> EventLoop::create() {
  PF_TRY(epoll, call_fd("epoll_create1", "", [] { return ::epoll_create1(EPOLL_CLOEXEC); }), "making the event loop");
  return EventLoop(std::move(epoll));
}

namespace {

std::uint64_t mark_of(int fd, std::uint32_t generation) {
  return (static_cast<std::uint64_t>(generation) << 32) | static_cast<std::uint32_t>(fd);
}

}  // namespace

EventLoop::Source* EventLoop::source_of(int fd) const {
  auto index = static_cast<std::size_t>(fd);
  return fd >= 0 && index < sources_.size() ? sources_[index].get() : nullptr;
}

Result<void> EventLoop::watch(int fd, std::uint32_t events, ReadyHandler handler) {
  std::uint32_t generation = next_generation_++;
  epoll_event event{};
  event.events = events;
  event.data.u64 = mark_of(fd, generation);
  if (::epoll_ctl(epoll_.raw(), EPOLL_CTL_ADD, fd, &event) != 0) {
    Error error = os_error("epoll_ctl", "add", errno);
    return tl::unexpected<Error>(errno == EPERM ? Error(ErrorKind::kInvalid, error.text()) : std::move(error));
  }
  auto index = static_cast<std::size_t>(fd);
  if (index >= sources_.size()) sources_.resize(index + 1);
  sources_[index] = std::make_shared<Source>(Source{generation, std::move(handler)});
  return {};
}

Result<void> EventLoop::add(int fd, Interest interest, Handler handler) {
  return watch(fd, static_cast<std::uint32_t>(interest), [handler = std::move(handler)](Ready) { handler(); });
}

Result<void> EventLoop::add_edge(int fd, ReadyHandler handler) {
  return watch(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET, std::move(handler));
}

void EventLoop::set_interest(int fd, Interest interest) {
  const Source* source = source_of(fd);
  if (source == nullptr) return;
  epoll_event event{};
  event.events = static_cast<std::uint32_t>(interest);
  event.data.u64 = mark_of(fd, source->generation);
  ::epoll_ctl(epoll_.raw(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::remove(int fd) {
  if (source_of(fd) == nullptr) return;
  sources_[static_cast<std::size_t>(fd)].reset();
  ::epoll_ctl(epoll_.raw(), EPOLL_CTL_DEL, fd, nullptr);
}

Result<void> EventLoop::run() {
  stopped_ = false;
  std::array<epoll_event, 64> events{};
  while (!stopped_) {
    int count = ::epoll_wait(epoll_.raw(), events.data(), static_cast<int>(events.size()), wait_ms());
    if (count < 0 && errno != EINTR) return tl::unexpected<Error>(os_error("epoll_wait", "", errno));
    for (int i = 0; i < count && !stopped_; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      auto index = static_cast<std::size_t>(event.data.u64 & 0xffffffffU);
      auto source = sources_[index];  // keeps the handler alive while it runs
      // An earlier handler of this round removed the source, and may have added another for the same number.
      if (!source || source->generation != event.data.u64 >> 32) continue;
      std::uint32_t over = event.events & (EPOLLHUP | EPOLLERR);
      source->handler(Ready{.read = (event.events & (EPOLLIN | EPOLLRDHUP | EPOLLPRI)) != 0 || over != 0,
                            .write = (event.events & EPOLLOUT) != 0 || over != 0,
                            .error = (event.events & EPOLLERR) != 0,
                            .unusual = (event.events & (EPOLLRDHUP | EPOLLPRI)) != 0 || over != 0});
    }
    if (!stopped_) fire_timers();
  }
  return {};
}

}  // namespace pinfold::sys
