// call.h: wrappers for system calls: they retry on EINTR, and keep the call's name, subject and errno together.
// Not here: handling a failure.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::sys {

// "open(/x): No such file or directory"
Error os_error(std::string_view name, std::string_view subject, int error);

// "EACCES"; "errno 999" for one without a name.
std::string errno_name(int error);
std::string errno_text(int error);

// Runs a call that returns -1 on failure; retries on EINTR.
template <typename Body>
auto call(std::string_view name, std::string_view subject, Body body) -> Result<decltype(body())> {
  for (;;) {
    auto answer = body();
    if (answer != -1) return answer;
    if (errno != EINTR) return tl::unexpected<Error>(os_error(name, subject, errno));
  }
}

// The same for a call that returns a new descriptor.
template <typename Body>
Result<Fd> call_fd(std::string_view name, std::string_view subject, Body body) {
  auto answer = call(name, subject, body);
  if (!answer) return tl::unexpected<Error>(std::move(answer).error());
  return Fd::adopt(static_cast<int>(*answer));
}

}  // namespace pinfold::sys
