// relay.h: copies one stream into another from the event loop, looking at and counting what passes.
// Invariant: bounded memory (one buffer); never blocks the loop on a slow reader; a reader that is gone is felt by the
// writer as SIGPIPE, as if there were no relay.
// Not here: what the bytes mean.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "sys/event_loop.h"
#include "sys/fd.h"

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
  // What is there passes on now, and then nothing until release().
  void hold();
  void release();
  // Takes what is there now, and waits for no more.
  void drain();
  // After drain(): the source, if somebody can still write to it.
  sys::Fd take_source() { return std::move(left_); }
  // Stops reading; what is buffered is dropped.
  void abandon();
  int source() const { return from_.raw(); }

 private:
  void pass_on_what_is_there();
  void readable();
  void writable();
  void pump();
  void flush();
  void finish();
  void wait_for_reader(bool wait);

  sys::EventLoop& loop_;
  sys::Fd from_;
  sys::Fd to_;  // a duplicate, because the loop knows each descriptor once
  sys::Fd left_;
  std::function<std::size_t(std::string_view)> tap_;
  std::function<void()> done_;
  std::array<char, 65536> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool to_polls_ = false;  // false: a regular file, which is always ready
  bool waiting_ = false;
  bool held_ = false;
  bool started_ = false;
  bool draining_ = false;
  bool last_ = false;  // what is buffered is the last that passes
  bool finished_ = false;
};

}  // namespace pinfold::supervisor
