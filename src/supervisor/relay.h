// relay.h: copies one stream into another from the event loop, looking at and counting what passes.
// Invariant: bounded memory (one buffer); never blocks the loop on a slow reader, and loses nothing that it has read
// while that reader lives; a reader that is gone is felt by the writer as SIGPIPE, as if there were no relay.
// Not here: what the bytes mean.
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
  // `from` is owned; `to` is borrowed, or -1 where the tap is all there is. `tap` sees every byte and answers how many
  // of them may pass: with fewer than it saw, they are the last. `finished` is called once, when all has been passed
  // on.
  Relay(sys::EventLoop& loop, sys::Fd from, int to, std::function<std::size_t(std::string_view)> tap,
        std::function<void()> finished);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  void start();
  bool is_finished() const { return finished_; }
  // Why bytes did not arrive, if some did not for another reason than that their reader is gone.
  const std::optional<Error>& lost() const { return lost_; }
  // What is there passes on now, and then nothing until release().
  void hold();
  void release();
  // Reads the bytes that are available now and no more from the source; it still waits for the reader.
  void drain();
  // After drain(): the source, if somebody can still write to it.
  sys::Fd take_source() { return std::move(left_); }
  // Stops reading; what is buffered is dropped.
  void abandon();
  int source() const { return from_.raw(); }
  // Bytes that the reader has taken.
  std::uint64_t passed() const { return passed_; }
  // Bytes that it has not, as far as they were read from the source.
  std::size_t unread() const { return finished_ ? 0 : end_ - begin_; }

 private:
  void pass_on_what_is_there();
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
  std::optional<std::size_t> most_;  // while draining: bytes that are still read
  std::optional<sys::EventLoop::TimerId> retry_;
  bool watches_source_ = false;
  bool watches_reader_ = false;
  bool is_file_ = false;  // a source that the loop cannot wait for
  bool waiting_ = false;  // for the reader
  bool held_ = false;
  bool started_ = false;
  bool draining_ = false;
  bool last_ = false;  // what is buffered is the last that passes
  bool finished_ = false;
  std::optional<Error> lost_;
};

}  // namespace pinfold::supervisor
