// process_starter.h: starts a server as a child process, with pipes for its three streams.
// Invariant: every started process is reaped; the destructor of its owner kills its process group.
// Not here: confinement, which the command itself sets up (`pinfold plugin run`).
#pragma once

#include <string>
#include <vector>

#include "mcp/starter.h"
#include "sys/event_loop.h"

namespace pinfold::mcp {

class ProcessStarter : public Starter {
 public:
  ProcessStarter(sys::EventLoop& loop, std::vector<std::string> argv) : loop_(loop), argv_(std::move(argv)) {}
  Result<std::unique_ptr<ServerProcess>> start(std::function<void(const std::string& how)> ended) override;

 private:
  sys::EventLoop& loop_;
  std::vector<std::string> argv_;
};

}  // namespace pinfold::mcp
