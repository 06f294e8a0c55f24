// starter.h: whoever starts and ends the server's process: a sandboxed session, or a test.
// Not here: an implementation.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::mcp {

// Our ends. Pipes and sockets are both fine; they are made non-blocking.
struct Streams {
  sys::Fd to_stdin, from_stdout, from_stderr;
};

// A server with all the processes it started. Whoever destroys it ends them all at once.
class Running {
 public:
  virtual ~Running() = default;
  virtual Streams take_streams() = 0;  // once
  virtual void terminate() = 0;        // asks: SIGTERM
  virtual void kill() = 0;             // the whole sandbox; it has ended soon after
};

class Starter {
 public:
  virtual ~Starter() = default;
  // `ended` is called once, from the event loop and never from within start(), when nothing of it runs any more:
  // "exited with 1", "was killed by SIGSEGV". Not after the Running is destroyed.
  virtual Result<std::unique_ptr<Running>> start(std::function<void(const std::string& how)> ended) = 0;
};

}  // namespace pinfold::mcp
