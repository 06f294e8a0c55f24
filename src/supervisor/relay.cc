// relay.cc: read, tap, write.
#include "supervisor/relay.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace pinfold::supervisor {

using sys::EventLoop;

namespace {

constexpr int kMostTurns = 256;

}  // namespace

Relay::Relay(EventLoop& loop, sys::Fd from, int to, std::function<std::size_t(std::string_view)> tap,
             std::function<void()> finished)
    : loop_(loop),
      from_(std::move(from)),
      to_(sys::Fd::adopt(::fcntl(to, F_DUPFD_CLOEXEC, 3))),
      tap_(std::move(tap)),
      done_(std::move(finished)) {}

Relay::~Relay() { abandon(); }

void Relay::start() {
  started_ = true;
  // A pipe whose writer is gone, or a file as standard input, is handled like any readable source; a source that cannot
  // be waited for is read to its end at once.
  if (!loop_.add(from_.raw(), EventLoop::Interest::kRead, [this] { readable(); })) {
    while (!finished_) readable();
    return;
  }
  // Added with no interest; a regular file is refused (EPERM) and written to directly.
  to_polls_ = loop_.add(to_.raw(), EventLoop::Interest::kNone, [this] { writable(); }).has_value();
}

void Relay::abandon() {
  if (started_ && !finished_) {
    finished_ = true;
    loop_.remove(from_.raw());
    if (to_polls_) loop_.remove(to_.raw());
  }
  from_.reset();
}

void Relay::finish() {
  if (finished_) return;
  abandon();
  if (done_) done_();
}

void Relay::hold() {
  if (!started_ || finished_ || draining_ || held_) return;
  pass_on_what_is_there();
  if (finished_) return;
  held_ = true;
  loop_.set_interest(from_.raw(), EventLoop::Interest::kNone);
  if (to_polls_) loop_.set_interest(to_.raw(), EventLoop::Interest::kNone);
}

// What was written before somebody is asked is seen before the question; but nobody is waited for.
void Relay::pass_on_what_is_there() {
  const auto is_ready = [](int fd, short event) {
    pollfd state{fd, event, 0};
    return ::poll(&state, 1, 0) == 1 && (state.revents & event) != 0;
  };
  for (int turn = 0; turn < kMostTurns && !finished_; ++turn) {
    if (begin_ < end_) {
      if (to_polls_ && !is_ready(to_.raw(), POLLOUT)) return;
      flush();
    } else if (is_ready(from_.raw(), POLLIN)) {
      readable();
    } else {
      return;
    }
  }
}

void Relay::release() {
  if (!std::exchange(held_, false) || finished_) return;
  loop_.set_interest(from_.raw(), waiting_ ? EventLoop::Interest::kNone : EventLoop::Interest::kRead);
  if (to_polls_) loop_.set_interest(to_.raw(), waiting_ ? EventLoop::Interest::kWrite : EventLoop::Interest::kNone);
}

void Relay::drain() {
  if (!started_ || finished_) return;
  release();
  draining_ = true;
  ::fcntl(from_.raw(), F_SETFL, ::fcntl(from_.raw(), F_GETFL) | O_NONBLOCK);
  pump();
}

void Relay::pump() {
  while (!finished_ && begin_ == end_) readable();
}

void Relay::readable() {
  if (begin_ < end_ || held_) return;  // still writing, or not now
  ssize_t size = ::read(from_.raw(), buffer_.data(), buffer_.size());
  if (size < 0 && (errno == EINTR || (errno == EAGAIN && !draining_))) return;
  if (size < 0 && errno == EAGAIN) left_ = sys::Fd::adopt(::fcntl(from_.raw(), F_DUPFD_CLOEXEC, 3));
  if (size <= 0) return finish();  // EIO: the last process has left a terminal; EAGAIN: that was all
  begin_ = 0;
  end_ = static_cast<std::size_t>(size);
  if (tap_) {
    const std::size_t passes = std::min(tap_(std::string_view(buffer_.data(), end_)), end_);
    last_ = last_ || passes < end_;
    end_ = passes;
  }
  if (finished_) return;         // the tap ended it
  if (!to_.is_open()) end_ = 0;  // the tap was all there is
  if (begin_ == end_ && last_) return finish();
  flush();
}

void Relay::flush() {
  while (begin_ < end_) {
    if (to_polls_ && !waiting_) return wait_for_reader(true);
    // Once it is writable a pipe takes this much without blocking.
    std::size_t most = to_polls_ ? std::min<std::size_t>(end_ - begin_, PIPE_BUF) : end_ - begin_;
    ssize_t size = ::write(to_.raw(), buffer_.data() + begin_, most);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return wait_for_reader(true);
    if (size < 0) return finish();  // EPIPE and the like: closing our end tells the writer
    begin_ += static_cast<std::size_t>(size);
    if (to_polls_) {
      if (begin_ < end_) return;  // the loop says when there is room for more
      wait_for_reader(false);
    }
  }
  if (last_) finish();
}

void Relay::writable() {
  if (held_) return;
  flush();
  if (draining_) pump();
}

void Relay::wait_for_reader(bool wait) {
  if (waiting_ == wait) return;
  waiting_ = wait;
  loop_.set_interest(to_.raw(), wait ? EventLoop::Interest::kWrite : EventLoop::Interest::kNone);
  loop_.set_interest(from_.raw(), wait ? EventLoop::Interest::kNone : EventLoop::Interest::kRead);
}

}  // namespace pinfold::supervisor
