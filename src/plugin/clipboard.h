// clipboard.h: the clipboard for a plugin: a Unix socket; the host runs its clipboard program for each request.
// Invariant: one request for each connection, one at a time, ten a second, 1 MiB each; further requests wait. Reports
// of use contain the number of bytes, never the text. Not here: the path of the socket and access to it (cli,
// confine.h).
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
  enum class Operation { kCopy, kPaste };
  Operation operation = Operation::kPaste;
  std::uint64_t bytes = 0;
  std::string problem{};  // empty: success
};

// A client sends "paste\n", or "copy\n" and the text, and closes its write side. The answer is "ok\n", for paste
// followed by the text, or "error: …\n"; then the connection is closed.
class Clipboard {
 public:
  // `tools`: an error is sent to clients. `listener` is non-blocking.
  Clipboard(sys::EventLoop& loop, sys::Fd listener, Result<ClipboardTools> tools,
            std::function<void(const ClipboardUse&)> used);
  Clipboard(const Clipboard&) = delete;
  Clipboard& operator=(const Clipboard&) = delete;
  ~Clipboard();
  Result<void> start();

 private:
  struct Connection {
    sys::Fd peer;
    std::string request;  // all received bytes, with the first line
    std::string answer;   // the bytes not sent yet
    enum class Stage { kReading, kWaiting, kRunning, kAnswering } stage = Stage::kReading;
    ClipboardUse use;
    sys::EventLoop::TimerId timeout = 0;
  };
  using Connections = std::list<Connection>;
  void accept_connection();
  void read_request(Connections::iterator connection);
  void parse_request(Connections::iterator connection, bool ended);
  void serve_next();
  void answer(Connections::iterator connection, const std::string& text);
  void finish_use(Connections::iterator connection, Result<std::string> got);
  void send_answer(Connections::iterator connection);
  void drain(Connections::iterator connection);
  void close_connection(Connections::iterator connection);

  sys::EventLoop& loop_;
  sys::Fd listener_;
  Result<ClipboardTools> tools_;
  std::function<void(const ClipboardUse&)> used_;
  Connections connections_;
  std::unique_ptr<ToolRun> run_;
  sys::EventLoop::TimerId pause_ = 0;  // until the next request runs
};

}  // namespace pinfold::plugin
