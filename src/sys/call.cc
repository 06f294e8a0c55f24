// call.cc: error texts of failed system calls.
// Not here: retrying (call.h).
#include "sys/call.h"

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "sys/descriptors.h"

namespace pinfold::sys {

std::string errno_name(int error) {
#ifdef __linux__
  if (const char* name = ::strerrorname_np(error); name != nullptr) return name;
#endif
  return "errno " + std::to_string(error);
}

std::string errno_text(int error) {
#ifdef __linux__
  const char* text = ::strerrordesc_np(error);
  return text != nullptr ? std::string(text) : errno_name(error);
#else
  return ::strerror(error);
#endif
}

Error os_error(std::string_view name, std::string_view subject, int error) {
  std::string what;
  what.append(name).append("(").append(text::shown(subject)).append("): ").append(errno_text(error));
  std::string fix;
  // The supervisor holds one descriptor per writable directory, and two per protected name that must not exist.
  if (error == EMFILE) fix = kMoreDescriptors;
  if (error == EFBIG) fix = "allow larger files: ulimit -f unlimited";
  return {ErrorKind::kSystem, std::move(what), std::move(fix)};
}

}  // namespace pinfold::sys
