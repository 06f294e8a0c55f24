// plugin_clipboard.h: the directory with the clipboard's socket and commands for one run of a plugin.
// Invariant: mode 0700; removed at the end of the run, or by the next run with a clipboard if this one is killed.
// Not here: the protocol of the socket (plugin/clipboard.h), showing the directory in the sandbox (plugin/confine.h).
#pragma once

#include <string>

#include "plugin/confine.h"
#include "sys/fd.h"

namespace pinfold::cli {

class ClipboardDir {
 public:
  // Creates it in the runtime directory, which also holds the sockets of sessions.
  static Result<ClipboardDir> create(HostView& host);
  ClipboardDir(ClipboardDir&& other) noexcept = default;
  ClipboardDir& operator=(ClipboardDir&& other) noexcept = delete;
  ClipboardDir(const ClipboardDir&) = delete;
  ClipboardDir& operator=(const ClipboardDir&) = delete;
  ~ClipboardDir();

  const plugin::ClipboardPaths& place() const { return place_; }
  sys::Fd take_listener() { return std::move(listener_); }

 private:
  ClipboardDir(plugin::ClipboardPaths place, sys::Fd lock) : place_(std::move(place)), lock_(std::move(lock)) {}
  Result<void> make(int base, const std::string& name);
  Result<void> populate();

  plugin::ClipboardPaths place_;
  sys::Fd lock_;  // held as long as the run lives
  sys::Fd directory_;
  sys::Fd listener_;
};

}  // namespace pinfold::cli
