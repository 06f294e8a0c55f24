// starter.h: the interface that starts and stops the server's process: a sandboxed command, or a test.
// Not here: an implementation.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::mcp {

// The client's ends: pipes or sockets; the transport makes them non-blocking.
struct Streams {
  sys::Fd to_stdin, from_stdout, from_stderr;
};

// A server with all processes that it started. The destructor kills them all.
class ServerProcess {
 public:
  virtual ~ServerProcess() = default;
  virtual Streams take_streams() = 0;  // call it once
  virtual void terminate() = 0;        // sends SIGTERM
  virtual void kill() = 0;             // the whole sandbox; `ended` is called soon after
};

class Starter {
 public:
  virtual ~Starter() = default;
  // `ended` is called once, from the event loop and never from within start(), when no process of the server runs any
  // more: "exited with 1", "was killed by SIGSEGV". It is not called after the ServerProcess is destroyed.
  virtual Result<std::unique_ptr<ServerProcess>> start(std::function<void(const std::string& how)> ended) = 0;
};

}  // namespace pinfold::mcp
