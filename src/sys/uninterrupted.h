// uninterrupted.h: retries a call on EINTR, for callers that check errno themselves.
// Not here: calls whose failure becomes an Error (call.h).
#pragma once

#include <cerrno>

namespace pinfold::sys {

// Runs a call that returns -1 on failure; retries on EINTR; keeps the call's errno. Not for close(), which has closed
// the descriptor also if it fails with EINTR, and not for connect(), which continues in the kernel.
template <typename Body>
auto uninterrupted(Body body) noexcept -> decltype(body()) {
  auto answer = body();
  while (answer == -1 && errno == EINTR) answer = body();
  return answer;
}

}  // namespace pinfold::sys
