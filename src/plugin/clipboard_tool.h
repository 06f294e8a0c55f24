// clipboard_tool.h: finds the host's clipboard programs without a shell, and runs one of them.
// Invariant: the program's output is read up to a limit and its end awaited up to a time; the destructor kills it.
// Not here: the requests of the plugin (clipboard.h).
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

// The programs for this process's display: Wayland's, else X's, else macOS's. A program at or below a path in
// `writable` is not used: a plugin could have put it there for the host to run.
Result<ClipboardTools> find_clipboard_tools(const std::vector<std::string>& writable, HostView& host);

class ToolRun {
 public:
  struct Bounds {
    std::size_t longest;  // bytes of its output
    std::chrono::milliseconds timeout;
  };
  enum class Kind { kCopy, kPaste };  // copy: stdin is the new text; paste: stdout is the current text
  // `done` is called once, with the output or the error; it may destroy the run.
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
  sys::EventLoop::TimerId timeout_ = 0;
  std::string output_text_;
  std::string problem_;
};

}  // namespace pinfold::plugin
