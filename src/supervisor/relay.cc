// relay.cc: reads, calls the tap, writes.
#include "supervisor/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sys/call.h"

namespace pinfold::supervisor {

using sys::EventLoop;

namespace {

constexpr int kMostTurns = 256;

}  // namespace

Relay::Relay(EventLoop& loop, sys::Fd from, int to, std::function<std::size_t(std::string_view)> tap,
             std::function<void()> finished)
    : loop_(loop),
      from_(std::move(from)),
      to_(to < 0 ? sys::Outlet() : sys::Outlet(to)),
      tap_(std::move(tap)),
      done_(std::move(finished)) {
  if (to >= 0 && !to_.is_open()) lost_ = sys::os_error("fcntl", "an output", errno);
}

Relay::~Relay() { abandon(); }

void Relay::start() {
  started_ = true;
  if (lost_) return finish();
  watch_source();
}

// A pipe without a writer is readable like any source. A source that epoll refuses (a regular file) is read whenever
// the reader has taken all buffered bytes.
void Relay::watch_source() {
  if (watches_source_ || finished_) return;
  auto added = loop_.add(from_.raw(), EventLoop::Interest::kRead, [this] { readable(); });
  watches_source_ = added.has_value();
  if (watches_source_) return;
  if (added.error().kind() != ErrorKind::kInvalid) return lose(std::move(added).error());
  if (std::exchange(is_file_, true)) return;
  pump();
}

// Removed from the loop, because epoll reports EPOLLHUP and EPOLLERR even without any interest.
void Relay::ignore_source() {
  if (std::exchange(watches_source_, false)) loop_.remove(from_.raw());
}

void Relay::abandon() {
  if (started_ && !finished_) {
    finished_ = true;
    ignore_source();
    ignore_reader();
  }
  from_.reset();
}

void Relay::lose(Error why) {
  if (!lost_) lost_ = std::move(why);
  finish();
}

void Relay::finish() {
  if (finished_) return;
  abandon();
  if (done_) done_();
}

void Relay::hold() {
  if (!started_ || finished_ || draining_ || held_) return;
  pass_available();
  if (finished_) return;
  held_ = true;
  ignore_source();
  ignore_reader();
}

// Output that was written before a prompt appears above it. Does not wait for a slow reader.
void Relay::pass_available() {
  const auto is_ready = [](int fd, short event) {
    pollfd state{fd, event, 0};
    return ::poll(&state, 1, 0) == 1 && (state.revents & event) != 0;
  };
  for (int turn = 0; turn < kMostTurns && !finished_; ++turn) {
    if (begin_ < end_) {
      flush();
      if (begin_ < end_) return;
    } else if (is_ready(from_.raw(), POLLIN)) {
      readable();
    } else {
      return;
    }
  }
}

void Relay::release() {
  if (!std::exchange(held_, false) || finished_) return;
  if (waiting_)
    watch_reader();
  else
    watch_source();
  if (is_file_) pump();
}

// A process can write faster than the relay reads, so FIONREAD bounds the bytes to read. On a terminal FIONREAD misses
// bytes that the kernel has not passed on yet, so a terminal is read until EAGAIN.
void Relay::drain() {
  if (!started_ || finished_ || draining_) return;
  release();
  draining_ = true;
  int there = 0;
  if (::isatty(from_.raw()) != 1 && ::ioctl(from_.raw(), FIONREAD, &there) == 0)
    most_ = static_cast<std::size_t>(std::max(there, 0));
  ::fcntl(from_.raw(), F_SETFL, ::fcntl(from_.raw(), F_GETFL) | O_NONBLOCK);
  pump();
}

void Relay::pump() {
  while (!finished_ && begin_ == end_) readable();
}

void Relay::leave_source() {
  pollfd state{from_.raw(), POLLIN, 0};
  const bool has_ended = ::poll(&state, 1, 0) == 1 && (state.revents & POLLIN) == 0;
  if (has_ended) return finish();
  left_ = sys::Fd::adopt(::fcntl(from_.raw(), F_DUPFD_CLOEXEC, 3));
  finish();
}

void Relay::readable() {
  if (begin_ < end_ || held_) return;  // the buffer is not empty, or held
  if (most_ && *most_ == 0) return leave_source();
  ssize_t size = ::read(from_.raw(), buffer_.data(), std::min(buffer_.size(), most_.value_or(buffer_.size())));
  if (size < 0 && (errno == EINTR || (errno == EAGAIN && !draining_))) return;
  if (size < 0 && errno == EAGAIN) return leave_source();  // no more bytes
  if (const int error = errno; size < 0 && !(error == EIO && ::isatty(from_.raw()) == 1))
    return lose(sys::os_error("read", "the command's output", error));
  if (size <= 0) return finish();  // EIO: no process has the terminal open
  begin_ = 0;
  end_ = static_cast<std::size_t>(size);
  if (most_) *most_ -= end_;
  if (tap_) {
    const std::size_t passes = std::min(tap_(std::string_view(buffer_.data(), end_)), end_);
    last_ = last_ || passes < end_;
    end_ = passes;
  }
  if (finished_) return;         // the tap ended it
  if (!to_.is_open()) end_ = 0;  // only for the tap
  if (begin_ == end_ && last_) return finish();
  flush();
}

void Relay::flush() {
  bool moved = false;
  while (begin_ < end_) {
    const ssize_t size = to_.write({buffer_.data() + begin_, end_ - begin_});
    if (size < 0 && errno == EAGAIN) return wait_for_reader(moved);
    if (const int error = errno; size < 0) {
      const bool is_gone = error == EPIPE || error == ECONNRESET || (error == EIO && ::isatty(to_.raw()) == 1);
      if (is_gone) return finish();  // closing the source gives the writer SIGPIPE
      return lose(sys::os_error("write", "an output", error));
    }
    begin_ += static_cast<std::size_t>(size);
    passed_ += static_cast<std::uint64_t>(size);
    moved = true;
  }
  if (last_) return finish();
  if (!std::exchange(waiting_, false) || held_) return;
  ignore_reader();
  watch_source();
}

void Relay::writable() {
  if (held_) return;
  flush();
  if (draining_ || is_file_) pump();
}

void Relay::wait_for_reader(bool moved) {
  if (held_) return;
  ignore_source();
  if (!std::exchange(waiting_, true)) return watch_reader();
  if (moved) return;
  // epoll reported the reader writable, but write() gave EAGAIN: retry after a delay, not in a busy loop.
  ignore_reader();
  look_again_soon();
}

void Relay::watch_reader() {
  if (watches_reader_) return;
  watches_reader_ = loop_.add(to_.raw(), EventLoop::Interest::kWrite, [this] { writable(); }).has_value();
  if (!watches_reader_) look_again_soon();
}

void Relay::ignore_reader() {
  if (std::exchange(watches_reader_, false)) loop_.remove(to_.raw());
  if (retry_) loop_.cancel(*std::exchange(retry_, std::nullopt));
}

void Relay::look_again_soon() {
  if (retry_) return;
  retry_ = loop_.after(sys::Outlet::kRetry, [this] {
    retry_.reset();
    watch_reader();
  });
}

}  // namespace pinfold::supervisor
