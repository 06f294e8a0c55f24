// failure.h: why a request has no result.
// Invariant: every request ends in exactly one result or one Failure.
// Not here: errors of Pinfold itself (Error).
#pragma once

#include <string>

#include "mcp/message.h"

namespace pinfold::mcp {

struct Failure {
  enum class Kind {
    kAnswered,    // the server answered with an error
    kTimedOut,    // no answer in time, or progress beyond the maximum time
    kCancelled,   // by the caller
    kEnded,       // the server exited or is being stopped; it is unknown whether it performed the request
    kUnreadable,  // its answer was too long, or not a message
    kWrong,       // its answer does not match its declared form
    kRefused,     // never sent
  };
  Kind kind = Kind::kRefused;
  std::string story;  // for people; the server's own message when it answered
  RpcError error;     // when it answered
};

}  // namespace pinfold::mcp
