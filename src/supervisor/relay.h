// relay.h: copies one stream to another on the event loop, and passes the bytes to a tap.
// Invariant: bounded memory (one buffer); a slow reader never blocks the loop; no byte is lost while the reader is
// open; when the reader closes, the writer gets SIGPIPE, as without a relay. Not here: the content of the streams.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "sys/event_loop.h"
#include "sys/fd.h"
#include "sys/outlet.h"

namespace pinfold::supervisor {

class Relay {
 public:
  // `from` is owned; `to` is borrowed, or -1 to pass bytes only to the tap. `tap` gets every byte and returns how many
  // of them may pass; if it returns fewer, the relay ends after them. `finished` is called once, when all bytes have
  // been written.
  Relay(sys::EventLoop& loop, sys::Fd from, int to, std::function<std::size_t(std::string_view)> tap,
        std::function<void()> finished);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  void start();
  bool is_finished() const { return finished_; }
  // The error that lost bytes, except that the reader closed.
  const std::optional<Error>& lost() const { return lost_; }
  // Passes on the available bytes, then nothing until release().
  void hold();
  void release();
  // Reads only the bytes that are available now; still waits for the reader to take them.
  void drain();
  // After drain(): the source, if a writer still has it open.
  sys::Fd take_source() { return std::move(left_); }
  // Stops reading and drops buffered bytes.
  void abandon();
  int source() const { return from_.raw(); }
  // Bytes that the reader has taken.
  std::uint64_t passed() const { return passed_; }
  // Bytes read from the source that the reader has not taken.
  std::size_t unread() const { return finished_ ? 0 : end_ - begin_; }

 private:
  void pass_available();
  void readable();
  void writable();
  void pump();
  void flush();
  void leave_source();
  void finish();
  void wait_for_reader(bool moved);
  void watch_source();
  void ignore_source();
  void watch_reader();
  void ignore_reader();
  void look_again_soon();
  void lose(Error why);

  sys::EventLoop& loop_;
  sys::Fd from_;
  sys::Outlet to_;
  sys::Fd left_;
  std::function<std::size_t(std::string_view)> tap_;
  std::function<void()> done_;
  std::array<char, 65536> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t passed_ = 0;
  std::optional<std::size_t> most_;  // while draining: bytes still to read
  std::optional<sys::EventLoop::TimerId> retry_;
  bool watches_source_ = false;
  bool watches_reader_ = false;
  bool is_file_ = false;  // a source that epoll does not support
  bool waiting_ = false;  // for the reader
  bool held_ = false;
  bool started_ = false;
  bool draining_ = false;
  bool last_ = false;  // the relay ends after the buffered bytes
  bool finished_ = false;
  std::optional<Error> lost_;
};

}  // namespace pinfold::supervisor
