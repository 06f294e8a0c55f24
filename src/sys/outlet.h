// outlet.h: writes to a pipe, socket or terminal whose reader may have stopped reading, without waiting for that
// reader. Invariant: one write() takes at most kLongestWrite, even if the reader never reads. The flags of the caller's
// open file description never change: O_NONBLOCK there would change it for every process that shares it. Not here:
// queueing (outbox.h), copying a stream (supervisor/relay.h).
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "pinfold/result.h"
#include "sys/event_loop.h"
#include "sys/fd.h"

namespace pinfold::sys {

// The limit of the wait for a reader. `until` not set: until the reader closes its end. Set: the writer gives up after
// that time, once the reader has taken nothing for kUnread.
struct WriteDeadline {
  std::optional<Clock::time_point> until{};
};

class Outlet {
 public:
  static constexpr auto kLongestWrite = std::chrono::milliseconds(10);
  // A reader that takes nothing for this time counts as not reading.
  static constexpr auto kUnread = std::chrono::seconds(2);
  // poll() reports room on a terminal that has too little for the next character: try again after this time.
  static constexpr auto kRetry = std::chrono::milliseconds(10);

  Outlet() = default;
  // Duplicates the descriptor. If that fails, write() fails with the same errno.
  explicit Outlet(int fd);

  bool is_open() const { return fd_.is_open(); }
  // For poll().
  int raw() const { return fd_.raw(); }
  // As write(2) on a non-blocking descriptor: -1 with EAGAIN if there is no room now.
  ssize_t write(std::string_view text) const;
  // Waits for the reader between writes. The error is of kind kUnavailable if the reader did not read, and of kind
  // kNotFound if it closed its end (EPIPE).
  Result<void> write_all(std::string_view text, const std::string& shown, WriteDeadline deadline) const;

 private:
  enum class WriteMethod {
    kPlain,   // never waits for a reader, or has O_NONBLOCK already
    kSocket,  // MSG_DONTWAIT
    kTimed,   // may block: a timer interrupts it
  };
  ssize_t write_timed(std::string_view text) const;

  Fd fd_;
  int error_ = EBADF;  // errno of the failed duplication
  WriteMethod method_ = WriteMethod::kPlain;
};

}  // namespace pinfold::sys
