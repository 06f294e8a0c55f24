// clipboard.h: the clipboard as a plugin sees it: one unix socket, behind which the host acts for it.
// Invariant: one request for each connection, one at a time, ten a second, a mebibyte each; a plugin that asks for more
// waits; what is told of a use is how much, never what. Not here: where the socket is, who may see it (cli, confine.h).
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "plugin/clipboard_tool.h"

namespace pinfold::plugin {

inline constexpr std::size_t kLongestClip = std::size_t{1} << 20;

struct ClipboardUse {
  enum class How { kCopy, kPaste };
  How how = How::kPaste;
  std::uint64_t bytes = 0;
  std::string problem{};  // empty: it was done
};

// A client says "paste\n", or "copy\n" and the text and ends its output; the answer is "ok\n" and for paste the text,
// or "error: …\n"; then the connection ends.
class Clipboard {
 public:
  // `tools`: an error is what clients are told. `listener` does not block.
  Clipboard(sys::EventLoop& loop, sys::Fd listener, Result<ClipboardTools> tools,
            std::function<void(const ClipboardUse&)> used);
  Clipboard(const Clipboard&) = delete;
  Clipboard& operator=(const Clipboard&) = delete;
  ~Clipboard();
  Result<void> start();

 private:
  struct Visit {
    sys::Fd peer;
    std::string asked;   // all that was said, its first line included
    std::string answer;  // what is still to be said
    enum class Stage { kAsking, kWaiting, kServed, kAnswering } stage = Stage::kAsking;
    ClipboardUse use;
    sys::EventLoop::TimerId patience = 0;
  };
  using Visits = std::list<Visit>;
  void admit();
  void listen(Visits::iterator visit);
  void judge(Visits::iterator visit, bool ended);
  void serve_next();
  void answer(Visits::iterator visit, const std::string& text);
  void served(Visits::iterator visit, Result<std::string> got);
  void speak(Visits::iterator visit);
  void see_off(Visits::iterator visit);
  void dismiss(Visits::iterator visit);

  sys::EventLoop& loop_;
  sys::Fd listener_;
  Result<ClipboardTools> tools_;
  std::function<void(const ClipboardUse&)> used_;
  Visits visits_;
  std::unique_ptr<ToolRun> run_;
  sys::EventLoop::TimerId pause_ = 0;  // until the next one is served
};

}  // namespace pinfold::plugin
