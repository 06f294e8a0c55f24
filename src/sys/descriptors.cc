// descriptors.cc: RLIMIT_NOFILE.
#include "sys/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>

namespace pinfold::sys {
namespace {

// The default of fs.nr_open, the kernel's upper bound of the limit.
constexpr rlim_t kNoLimit = 1 << 20;

}  // namespace

std::size_t descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kNoLimit;
  return std::min(limit.rlim_cur, kNoLimit);
}

Error too_few_descriptors(std::string_view what) {
  return Error(
      ErrorKind::kSystem,
      "this process may have " + std::to_string(descriptor_limit()) + " open files, too few for " + std::string(what),
      std::string(kMoreDescriptors));
}

void lower_descriptor_limit(std::size_t before) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= before || before >= kNoLimit) return;
  limit.rlim_cur = before;
  ::setrlimit(RLIMIT_NOFILE, &limit);
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
