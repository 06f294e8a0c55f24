// limits.h: every bound on what a server may cost, and how long things may take.
// Not here: what happens at a bound.
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
  std::size_t most_unsent = std::size_t{32} << 20;      // bytes that a server does not take
  std::size_t most_in_flight = 1000;
  std::size_t most_pages = 100;
  std::size_t most_tools = 2000;
  std::size_t stderr_ring = std::size_t{64} << 10;
  // Messages that answer nothing: beyond this the server is not read from for a while.
  double unasked_each_second = 500;
  double unasked_at_once = 1000;
};

struct Durations {
  milliseconds probe = seconds(10);
  milliseconds handshake = seconds(60);
  milliseconds request = seconds(60);            // begins again with each progress
  milliseconds request_at_most = seconds(1800);  // whatever its progress
  milliseconds between_refreshes = seconds(1);
  milliseconds until_terminate = seconds(2);
  milliseconds until_kill = seconds(2);
  milliseconds first_back_off = milliseconds(500);
  milliseconds longest_back_off = seconds(30);
  milliseconds healthy = seconds(60);  // so long ready, and earlier failures are forgotten
  int most_failures = 5;               // in a row
};

}  // namespace pinfold::mcp
