// plugin_clipboard.h: where one run of a plugin finds the clipboard: a directory of its own with a socket and commands.
// Invariant: the user's alone; gone with the run, or with the next one that has a clipboard if this one is killed.
// Not here: what is said over the socket (plugin/clipboard.h), who gets to see the directory (plugin/confine.h).
#pragma once

#include <string>

#include "plugin/confine.h"
#include "sys/fd.h"

namespace pinfold::cli {

class ClipboardSeat {
 public:
  // Where sockets of sessions are, too.
  static Result<ClipboardSeat> take(HostView& host);
  ClipboardSeat(ClipboardSeat&& other) noexcept = default;
  ClipboardSeat& operator=(ClipboardSeat&& other) noexcept = delete;
  ClipboardSeat(const ClipboardSeat&) = delete;
  ClipboardSeat& operator=(const ClipboardSeat&) = delete;
  ~ClipboardSeat();

  const plugin::ClipboardPlace& place() const { return place_; }
  sys::Fd take_listener() { return std::move(listener_); }

 private:
  ClipboardSeat(plugin::ClipboardPlace place, sys::Fd directory)
      : place_(std::move(place)), directory_(std::move(directory)) {}
  Result<void> furnish();

  plugin::ClipboardPlace place_;
  sys::Fd directory_;  // locked as long as the run lives
  sys::Fd listener_;
};

}  // namespace pinfold::cli
