// clipboard_tool.h: the host's programs for the clipboard, found without a shell, and one run of one of them.
// Invariant: a run reads what it is given, is read up to a limit and waited for up to a time, and is ended with its
// owner. Not here: who asks (clipboard.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_view.h"
#include "sys/event_loop.h"

namespace pinfold::plugin {

// Command lines with absolute paths.
struct ClipboardTools {
  std::vector<std::string> copy;
  std::vector<std::string> paste;
};

// Those of the display that this process has: Wayland's, else X's, else macOS's. None that lies where `writable` says
// that a plugin writes: the host would run what the plugin left there.
Result<ClipboardTools> find_clipboard_tools(const std::vector<std::string>& writable, HostView& host);

class ToolRun {
 public:
  struct Bounds {
    std::size_t longest;  // bytes of its output
    std::chrono::milliseconds patience;
  };
  enum class Kind { kTakes, kGives };  // the clipboard's new text, or its present one
  // `done` is told its output, or what went wrong, once; it may destroy the run.
  static Result<std::unique_ptr<ToolRun>> start(sys::EventLoop& loop, const std::vector<std::string>& argv, Kind kind,
                                                std::string_view input, Bounds bounds,
                                                std::function<void(Result<std::string>)> done);
  ToolRun(const ToolRun&) = delete;
  ToolRun& operator=(const ToolRun&) = delete;
  ~ToolRun();

 private:
  ToolRun(sys::EventLoop& loop, Bounds bounds, std::function<void(Result<std::string>)> done)
      : loop_(loop), bounds_(bounds), done_(std::move(done)) {}
  Result<void> watch();
  void take_output();
  void finish();

  sys::EventLoop& loop_;
  Bounds bounds_;
  std::function<void(Result<std::string>)> done_;
  std::string program_;
  sys::Fd output_, pidfd_;
  pid_t pid_ = -1;
  sys::EventLoop::TimerId patience_ = 0;
  std::string got_;
  std::string problem_;
};

}  // namespace pinfold::plugin
