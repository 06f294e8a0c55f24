// flow.cc: messages by one read and one write, streams by splice through a pooled pipe; where there is no pipe or the
// kernel refuses, peek, send, and discard the sent bytes. Invariant: an idle flow holds neither pipe nor memory, so
// 10,000 of them cost two descriptors each and nothing else. Not here: SIGPIPE, which splice() raises on a broken
// socket: the relay blocks it in the loop's thread (relay.cc).
#include "net/flow.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

namespace pinfold::net {
namespace {

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Flow::~Flow() { release(); }

void Flow::release() {
  if (!pipe_) return;
  if (in_pipe_ == 0)
    pool_.give_back(std::move(*pipe_));
  else
    pool_.drop(std::move(*pipe_));
  pipe_.reset();
}

Flow::Step Flow::pump(int from, int to) {
  if (ended_) return Step::kEnded;
  std::uint64_t until = bytes_ + kTurn;
  Step step = Step::kMore;
  while (step == Step::kMore) {
    if (in_pipe_ > 0)
      step = drain(to);
    else if (at_end_)
      step = finish(to);
    else if (!readable_)
      step = Step::kWaiting;
    else if (bytes_ >= until)
      break;
    else if (copies_ || (!pipe_ && !(pipe_ = pool_.take())))
      step = writable_ ? copy(from, to) : Step::kWaiting;
    else if (streams_)
      step = fill(from);
    else
      step = writable_ ? pass(from, to) : Step::kWaiting;
  }
  if (in_pipe_ == 0) release();
  return step;
}

// Only into an empty pipe: then "would block" can only mean the socket.
Flow::Step Flow::fill(int from) {
  ssize_t count =
      ::splice(from, nullptr, pipe_->write.raw(), nullptr, pipe_->capacity, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  if (count > 0) {
    in_pipe_ = static_cast<std::size_t>(count);
    streams_ = in_pipe_ >= kMessage;
    return Step::kMore;
  }
  if (count == 0) {
    at_end_ = true;
    return Step::kMore;
  }
  if (errno == EINVAL || errno == ENOSYS || errno == EPERM) {
    copies_ = true;
    return Step::kMore;
  }
  return not_read();
}

Flow::Step Flow::not_read() {
  if (errno == EINTR) return Step::kMore;
  if (!would_block(errno)) return Step::kBrokenFrom;
  readable_ = false;
  streams_ = false;
  return Step::kWaiting;
}

// Bytes that the other side does not accept now wait in the pipe, which is empty and large enough.
Flow::Step Flow::pass(int from, int to) {
  std::span<char> buffer = pool_.scratch().first(std::min(kMessage, pipe_->capacity));
  ssize_t count = ::recv(from, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0) return not_read();
  if (count == 0) {
    at_end_ = true;
    return Step::kMore;
  }
  std::span<char> got = buffer.first(static_cast<std::size_t>(count));
  // A stream socket that gave less has no more (epoll(7)); later bytes raise a new event.
  if (got.size() < buffer.size() && !unusual_) readable_ = false;
  streams_ = got.size() == buffer.size();
  ssize_t sent = ::send(to, got.data(), got.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && !would_block(errno)) return Step::kBrokenTo;
  if (sent < 0 && errno != EINTR) writable_ = false;
  std::span<char> left = got.subspan(sent > 0 ? static_cast<std::size_t>(sent) : 0);
  bytes_ += got.size() - left.size();
  if (left.empty()) return Step::kMore;
  if (::write(pipe_->write.raw(), left.data(), left.size()) != static_cast<ssize_t>(left.size()))
    return Step::kBrokenTo;
  in_pipe_ = left.size();
  return Step::kMore;
}

Flow::Step Flow::drain(int to) {
  if (!writable_) return Step::kWaiting;
  ssize_t count = ::splice(pipe_->read.raw(), nullptr, to, nullptr, in_pipe_, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  if (count > 0) {
    in_pipe_ -= static_cast<std::size_t>(count);
    bytes_ += static_cast<std::uint64_t>(count);
    return Step::kMore;
  }
  if (count < 0 && errno == EINTR) return Step::kMore;
  if (count < 0 && would_block(errno)) {
    writable_ = false;
    return Step::kWaiting;
  }
  return Step::kBrokenTo;
}

Flow::Step Flow::copy(int from, int to) {
  std::span<char> buffer = pool_.scratch();
  ssize_t seen = ::recv(from, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
  if (seen == 0) {
    at_end_ = true;
    return Step::kMore;
  }
  if (seen < 0) return not_read();
  ssize_t sent = ::send(to, buffer.data(), static_cast<std::size_t>(seen), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) {
    if (errno == EINTR) return Step::kMore;
    if (!would_block(errno)) return Step::kBrokenTo;
    writable_ = false;
    return Step::kWaiting;
  }
  bytes_ += static_cast<std::uint64_t>(sent);
  // Discards exactly the sent bytes; they are in the socket, because peek has just read them.
  for (auto left = static_cast<std::size_t>(sent); left > 0;) {
    ssize_t gone = ::recv(from, buffer.data(), left, MSG_DONTWAIT);
    if (gone > 0)
      left -= static_cast<std::size_t>(gone);
    else if (gone == 0 || errno != EINTR)
      return Step::kBrokenFrom;
  }
  return Step::kMore;
}

Flow::Step Flow::finish(int to) {
  if (::shutdown(to, SHUT_WR) != 0) return Step::kBrokenTo;
  ended_ = true;
  return Step::kEnded;
}

}  // namespace pinfold::net
