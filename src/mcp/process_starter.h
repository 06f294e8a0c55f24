// process_starter.h: servers as processes of their own, with pipes for their three streams.
// Invariant: a process that was started is reaped, and killed with its group when its owner goes.
// Not here: confinement: that is the command's own business (`pinfold plugin run`).
#pragma once

#include <string>
#include <vector>

#include "mcp/starter.h"
#include "sys/event_loop.h"

namespace pinfold::mcp {

class ProcessStarter : public Starter {
 public:
  ProcessStarter(sys::EventLoop& loop, std::vector<std::string> argv) : loop_(loop), argv_(std::move(argv)) {}
  Result<std::unique_ptr<Running>> start(std::function<void(const std::string& how)> ended) override;

 private:
  sys::EventLoop& loop_;
  std::vector<std::string> argv_;
};

}  // namespace pinfold::mcp
