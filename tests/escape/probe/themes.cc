// themes.cc: what can be tried on Linux, and its words for errors.
#include <cstring>

#include "probe.h"

namespace probe {

std::vector<std::span<const Attempt>> themes() {
  return {file_attempts(),     handle_attempts(),      mode_attempts(),   process_attempts(),  namespace_attempts(),
          mount_attempts(),    call_attempts(),        ring_attempts(),   terminal_attempts(), exec_attempts(),
          resource_attempts(), environment_attempts(), socket_attempts(), race_attempts()};
}

std::string errno_name(int number) {
  const char* name = ::strerrorname_np(number);
  return name != nullptr ? name : "errno " + std::to_string(number);
}

}  // namespace probe
