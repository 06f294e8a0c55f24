// failure.h: why a request has no result.
// Invariant: every request ends in exactly one result or one of these.
// Not here: failures of this program itself (Error).
#pragma once

#include <string>

#include "mcp/message.h"

namespace pinfold::mcp {

struct Failure {
  enum class Kind {
    kAnswered,    // the server answered with an error
    kTimedOut,    // no answer in time, or no end to its progress
    kCancelled,   // by whoever asked
    kEnded,       // the server ended, or is being ended; whether it did what was asked is not known
    kUnreadable,  // its answer was too long, or no message
    kWrong,       // its answer does not fit what it promised
    kRefused,     // never sent
  };
  Kind kind = Kind::kRefused;
  std::string story;  // for people; the server's own words when it answered
  RpcError error;     // when it answered
};

}  // namespace pinfold::mcp
