// plain_starter.h: servers as plain processes, without any sandbox.
// Invariant: only for tests; a process that was started is reaped, and killed when its owner goes.
// Not here: confinement.
#pragma once

#include <string>
#include <vector>

#include "mcp/starter.h"
#include "sys/event_loop.h"

namespace pinfold::mcp {

class PlainStarter : public Starter {
 public:
  PlainStarter(sys::EventLoop& loop, std::vector<std::string> argv) : loop_(loop), argv_(std::move(argv)) {}
  Result<std::unique_ptr<Running>> start(std::function<void(const std::string& how)> ended) override;

 private:
  sys::EventLoop& loop_;
  std::vector<std::string> argv_;
};

}  // namespace pinfold::mcp
