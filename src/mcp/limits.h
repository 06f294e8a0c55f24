// limits.h: bounds on the memory, the messages and the time that a server may use.
// Not here: the reaction to a reached bound.
#pragma once

#include <chrono>
#include <cstddef>

#include "sys/event_loop.h"

namespace pinfold::mcp {

using sys::Clock;
using Time = Clock::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Limits {
  std::size_t longest_line = std::size_t{10} << 20;     // from the server
  std::size_t longest_request = std::size_t{10} << 20;  // to the server
  std::size_t most_unsent = std::size_t{32} << 20;      // queued bytes that the server has not read
  std::size_t most_in_flight = 1000;
  std::size_t most_pages = 100;
  std::size_t most_tools = 2000;
  std::size_t stderr_ring = std::size_t{64} << 10;
  // Messages that answer no request: beyond this rate the client pauses reading from the server.
  double unsolicited_per_second = 500;
  double unsolicited_burst = 1000;
};

struct Durations {
  milliseconds probe = seconds(10);
  milliseconds handshake = seconds(60);
  milliseconds request = seconds(60);            // starts again with each progress notification
  milliseconds request_at_most = seconds(1800);  // regardless of progress
  milliseconds between_refreshes = seconds(1);
  milliseconds until_terminate = seconds(2);
  milliseconds until_kill = seconds(2);
  milliseconds first_back_off = milliseconds(500);
  milliseconds longest_back_off = seconds(30);
  milliseconds healthy = seconds(60);  // after this long in state Ready, earlier failures no longer count
  int most_failures = 5;               // consecutive
};

}  // namespace pinfold::mcp
