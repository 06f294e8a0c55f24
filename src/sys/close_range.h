// close_range.h: closes a range of descriptors, also if close_range() fails.
// Invariant: allocates nothing, so that it may be called between fork and exec. Not here: one descriptor (fd.h).
#pragma once

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace pinfold::sys {

// Both ends are included.
inline void close_range(unsigned first, unsigned last) {
  if (first > last || ::syscall(SYS_close_range, first, last, 0) == 0) return;
  constexpr rlim_t kMost = 1U << 20U;  // descriptors above that are not worth the time of a loop
  rlimit limit{};
  const rlim_t end = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::min(limit.rlim_max, kMost) : kMost;
  for (unsigned fd = first; fd < end && fd <= last; ++fd) ::close(static_cast<int>(fd));
}

}  // namespace pinfold::sys
