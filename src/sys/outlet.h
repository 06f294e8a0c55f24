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

// How long a writer waits for a reader. `until` not set: as long as the reader lives. Set: the writer gives up after
// that moment, once the reader has taken nothing for kUnread.
struct Patience {
  std::optional<Clock::time_point> until{};
};

class Outlet {
 public:
  static constexpr auto kLongestWrite = std::chrono::milliseconds(10);
  // A reader that takes nothing for so long is not reading.
  static constexpr auto kUnread = std::chrono::seconds(2);
  // Poll reports room on a terminal that has too little of it for the next character: look again after so long.
  static constexpr auto kRetry = std::chrono::milliseconds(10);

  Outlet() = default;
  // Duplicates the descriptor. If that fails, write() fails with the same errno.
  explicit Outlet(int fd);

  bool is_open() const { return fd_.is_open(); }
  // To wait for room.
  int raw() const { return fd_.raw(); }
  // As write(2) on a non-blocking descriptor: -1 and EAGAIN where there is no room now.
  ssize_t write(std::string_view text) const;
  // Waits for the reader in between. The error is of kind kUnavailable if the reader did not read, and of kind
  // kNotFound if it is gone (EPIPE).
  Result<void> write_all(std::string_view text, const std::string& shown, Patience patience) const;

 private:
  enum class Way {
    kPlain,   // never waits for a reader, or has O_NONBLOCK already
    kSocket,  // MSG_DONTWAIT
    kTimed,   // may block: a timer interrupts it
  };
  ssize_t write_timed(std::string_view text) const;

  Fd fd_;
  int error_ = EBADF;  // why it is not open
  Way way_ = Way::kPlain;
};

}  // namespace pinfold::sys
