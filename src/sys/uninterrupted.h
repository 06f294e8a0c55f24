// uninterrupted.h: a call made again when a signal interrupted it, for callers that look at errno themselves.
// Not here: calls whose failure becomes an Error (call.h).
#pragma once

#include <cerrno>

namespace pinfold::sys {

// Runs a call that answers -1 on failure, again on EINTR; errno stays the call's. Not for close(), which has closed the
// descriptor also where it reports EINTR, and not for connect(), which goes on by itself.
template <typename Body>
auto uninterrupted(Body body) noexcept -> decltype(body()) {
  auto answer = body();
  while (answer == -1 && errno == EINTR) answer = body();
  return answer;
}

}  // namespace pinfold::sys
