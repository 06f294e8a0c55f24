// outbox.h: text for a terminal or a stream, written from the event loop as fast as its reader takes it.
// Invariant: never blocks the loop; holds at most kMost bytes, and drops text that exceeds them.
// Not here: the command's own output, which is never dropped (supervisor/relay.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sys/event_loop.h"
#include "sys/outlet.h"

namespace pinfold::sys {

class Outbox {
 public:
  static constexpr std::size_t kMost = std::size_t{256} << 10;

  Outbox() = default;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox() { close(); }

  void open(EventLoop& loop, int fd);  // the descriptor is duplicated
  void say(std::string_view text);
  // Calls `done` once the reader has taken all text so far: now, or from the loop. A later call replaces `done`.
  void when_taken(std::function<void()> done);
  // Drops the text that the reader has not taken, and the callbacks that wait for it.
  void clear();
  void close();

 private:
  enum class WaitState { kNo, kForRoom, kForTime };
  void flush();
  void wait_for_room();
  void stop_waiting();

  EventLoop* loop_ = nullptr;
  Outlet outlet_;
  std::string text_;
  std::function<void()> done_;
  WaitState waiting_ = WaitState::kNo;
  EventLoop::TimerId timer_ = 0;
};

}  // namespace pinfold::sys
