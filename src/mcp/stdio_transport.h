// stdio_transport.h: a server's three streams on the event loop.
// Invariant: memory is bounded in both directions; never blocks and never raises SIGPIPE; stderr is always drained.
// Not here: the meaning of the lines (conversation.h), the process (starter.h).
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

class StdioTransport {
 public:
  struct Events {
    LineReader::Handlers lines;
    std::function<void(std::string_view)> stderr_bytes;  // on stderr
    std::function<void(const std::string&)> closed;      // once: the server closed its stdout or its stdin
  };
  // Event handlers must not destroy the transport.
  static Result<std::unique_ptr<StdioTransport>> open(sys::EventLoop& loop, Streams streams, const Limits& limits,
                                                      Events events);
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;
  ~StdioTransport();

  // False: the server has not read limits.most_unsent bytes; the line is dropped.
  bool send(std::string_view line);
  // The server reads end of file.
  void close_input();
  // Reads nothing from stdout for this long.
  void pause_reading(milliseconds duration);
  // Call it after the process has ended: reads the rest of the pipes, at most 64 pieces of 64 KiB each.
  void drain();

 private:
  StdioTransport(sys::EventLoop& loop, Streams streams, const Limits& limits, Events events);
  Result<void> watch();
  enum class ReadStatus { kData, kNoData, kEnd };
  ReadStatus read_output();
  ReadStatus read_errors();
  void write_queued();
  Result<void> watch_output();
  void resume_output();
  void unwatch_output();
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
  bool watches_output_ = false;
  bool reported_closed_ = false;
  Timer read_pause_;
};

}  // namespace pinfold::mcp
