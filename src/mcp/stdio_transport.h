// stdio_transport.h: a server's three streams on the event loop.
// Invariant: memory is bounded in both directions; never blocks and never raises SIGPIPE; stderr is always drained.
// Not here: what the lines mean (conversation.h), the process (starter.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/limits.h"
#include "mcp/line_reader.h"
#include "mcp/starter.h"
#include "mcp/timer.h"

namespace pinfold::mcp {

class Wire {
 public:
  struct Events {
    LineReader::Sink lines;
    std::function<void(std::string_view)> said;      // on stderr
    std::function<void(const std::string&)> closed;  // once: it will say nothing more, or take nothing more
  };
  // Must not be destroyed by what an event leads to.
  static Result<std::unique_ptr<Wire>> open(sys::EventLoop& loop, Streams streams, const Limits& limits, Events events);
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire();

  // False: the server has not taken so much already that this is dropped.
  bool send(std::string_view line);
  // The server sees the end of its input.
  void close_input();
  // Reads nothing from stdout for so long.
  void rest(milliseconds duration);
  // The process has ended: what is left in the pipes, and no more.
  void drain();

 private:
  Wire(sys::EventLoop& loop, Streams streams, const Limits& limits, Events events);
  Result<void> watch();
  enum class Got { kSome, kNothingNow, kEnd };
  Got read_output();
  Got read_errors();
  void write_queued();
  Result<void> listen();
  void listen_again();
  void unlisten();
  void close_output(const std::string& why);
  void close_errors();
  bool is_clogged() const;

  sys::EventLoop& loop_;
  Streams streams_;
  Limits limits_;
  Events events_;
  LineReader reader_;
  std::string queue_;
  std::size_t written_ = 0;  // of the queue
  bool input_is_socket_ = false;
  bool waits_to_write_ = false;
  bool listens_ = false;
  bool told_closed_ = false;
  Timer resting_;
};

}  // namespace pinfold::mcp
