// event_loop.cc: kqueue, for macOS. Not here: timers, which are the same on every system (event_loop_timers.cc).
// Invariant: as in the header; refuses regular files as epoll does.
#include "sys/event_loop.h"

#include <sys/event.h>
#include <sys/stat.h>

#include <array>

#include "base/try.h"
#include "sys/call.h"

namespace pinfold::sys {
namespace {

constexpr std::uint32_t kReads = 1, kWrites = 4, kEdge = 1U << 31U;

void* mark_of(std::uint32_t generation) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(generation)); }

// Both directions, each on or off.
int put(int queue, int fd, std::uint32_t events, std::uint32_t generation) {
  const auto edge = static_cast<std::uint16_t>((events & kEdge) != 0 ? EV_CLEAR : 0);
  const auto one = [&](std::int16_t filter, bool on) {
    struct kevent change {};
    const auto flags = static_cast<std::uint16_t>(on ? EV_ADD | edge : EV_DELETE);
    EV_SET(&change, static_cast<std::uintptr_t>(fd), filter, flags, 0, 0, mark_of(generation));
    const int done = ::kevent(queue, &change, 1, nullptr, 0, nullptr);
    return done < 0 && (on || errno != ENOENT) ? -1 : 0;
  };
  if (one(EVFILT_READ, (events & kReads) != 0) != 0) return -1;
  return one(EVFILT_WRITE, (events & kWrites) != 0);
}

}  // namespace

Result<EventLoop> EventLoop::create() {
  PF_TRY(queue, call_fd("kqueue", "", [] { return ::kqueue(); }), "making the event loop");
  ::fcntl(queue.raw(), F_SETFD, FD_CLOEXEC);
  return EventLoop(std::move(queue));
}

EventLoop::Source* EventLoop::source_of(int fd) const {
  auto index = static_cast<std::size_t>(fd);
  return fd >= 0 && index < sources_.size() ? sources_[index].get() : nullptr;
}

Result<void> EventLoop::watch(int fd, std::uint32_t events, ReadyHandler handler) {
  struct stat info {};
  if (::fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
    return fail(ErrorKind::kInvalid, os_error("kevent", "add", EPERM).text());
  const std::uint32_t generation = next_generation_++;
  PF_TRY(done, call("kevent", "add", [&] { return put(epoll_.raw(), fd, events, generation); }));
  static_cast<void>(done);
  auto index = static_cast<std::size_t>(fd);
  if (index >= sources_.size()) sources_.resize(index + 1);
  sources_[index] = std::make_shared<Source>(Source{generation, std::move(handler)});
  return {};
}

Result<void> EventLoop::add(int fd, Interest interest, Handler handler) {
  return watch(fd, static_cast<std::uint32_t>(interest), [handler = std::move(handler)](Ready) { handler(); });
}

Result<void> EventLoop::add_edge(int fd, ReadyHandler handler) {
  return watch(fd, kReads | kWrites | kEdge, std::move(handler));
}

void EventLoop::set_interest(int fd, Interest interest) {
  if (const Source* source = source_of(fd); source != nullptr)
    put(epoll_.raw(), fd, static_cast<std::uint32_t>(interest), source->generation);
}

void EventLoop::remove(int fd) {
  if (source_of(fd) == nullptr) return;
  sources_[static_cast<std::size_t>(fd)].reset();
  put(epoll_.raw(), fd, 0, 0);
}

Result<void> EventLoop::run() {
  stopped_ = false;
  std::array<struct kevent, 64> events{};
  while (!stopped_) {
    const int wait = wait_ms();
    const timespec limit{wait / 1000, wait % 1000 * 1'000'000L};
    const int count =
        ::kevent(epoll_.raw(), nullptr, 0, events.data(), static_cast<int>(events.size()), wait < 0 ? nullptr : &limit);
    if (count < 0 && errno != EINTR) return tl::unexpected<Error>(os_error("kevent", "", errno));
    for (int i = 0; i < count && !stopped_; ++i) {
      const struct kevent& event = events[static_cast<std::size_t>(i)];
      auto source = sources_[static_cast<std::size_t>(event.ident)];  // keeps the handler alive while it runs
      // An earlier handler of this round removed the source, and may have added another for the same number.
      if (!source || mark_of(source->generation) != event.udata) continue;
      const bool over = (event.flags & EV_EOF) != 0;
      const bool error = (event.flags & EV_ERROR) != 0 || (over && event.fflags != 0);
      source->handler(Ready{.read = event.filter == EVFILT_READ || over || error,
                            .write = event.filter == EVFILT_WRITE || over || error,
                            .error = error,
                            .unusual = over || error});
    }
    if (!stopped_) fire_timers();
  }
  return {};
}

}  // namespace pinfold::sys
