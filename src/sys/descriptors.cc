// descriptors.cc: RLIMIT_NOFILE.
#include "sys/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace pinfold::sys {
namespace {

// The kernel's own limit (fs.nr_open) stands where there is no other.
constexpr rlim_t kNoLimit = 1 << 20;

}  // namespace

std::size_t descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kNoLimit;
  return std::min(limit.rlim_cur, kNoLimit);
}

std::size_t raise_descriptor_limit() {
  std::size_t before = descriptor_limit();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return before;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

}  // namespace pinfold::sys
