// outbox.cc: write what fits, then wait for room.
#include "sys/outbox.h"

#include <cerrno>
#include <utility>

namespace pinfold::sys {

void Outbox::open(EventLoop& loop, int fd) {
  close();
  loop_ = &loop;
  outlet_ = Outlet(fd);
}

void Outbox::say(std::string_view text) {
  if (!outlet_.is_open() || text_.size() + text.size() > kMost) return;
  text_ += text;
  if (waiting_ == WaitState::kNo) flush();
}

void Outbox::when_taken(std::function<void()> done) {
  done_ = std::move(done);
  if (text_.empty() && done_) std::exchange(done_, nullptr)();
}

void Outbox::clear() {
  stop_waiting();
  text_.clear();
  done_ = nullptr;
}

void Outbox::close() {
  clear();
  outlet_ = Outlet();
  loop_ = nullptr;
}

void Outbox::flush() {
  const bool had_room = waiting_ == WaitState::kForRoom;
  stop_waiting();
  while (!text_.empty()) {
    const ssize_t size = outlet_.write(text_);
    if (size < 0 && errno == EAGAIN) {
      if (!had_room) return wait_for_room();
      // poll() reported room but write() got EAGAIN: polling again at once would be a busy loop.
      waiting_ = WaitState::kForTime;
      timer_ = loop_->after(Outlet::kRetry, [this] { flush(); });
      return;
    }
    if (size < 0) text_.clear();  // the reader is gone
    if (size > 0) text_.erase(0, static_cast<std::size_t>(size));
  }
  if (done_) std::exchange(done_, nullptr)();
}

void Outbox::wait_for_room() {
  if (loop_->add(outlet_.raw(), EventLoop::Interest::kWrite, [this] { flush(); })) {
    waiting_ = WaitState::kForRoom;
    return;
  }
  waiting_ = WaitState::kForTime;
  timer_ = loop_->after(Outlet::kRetry, [this] { flush(); });
}

void Outbox::stop_waiting() {
  if (waiting_ == WaitState::kForRoom) loop_->remove(outlet_.raw());
  if (waiting_ == WaitState::kForTime) loop_->cancel(timer_);
  waiting_ = WaitState::kNo;
}

}  // namespace pinfold::sys
