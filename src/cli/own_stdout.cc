// own_stdout.cc: duplicates stdout, and puts stderr in its place.
#include "cli/own_stdout.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/try.h"
#include "cli/process_io.h"
#include "sys/call.h"

namespace pinfold::cli {

Result<ReservedStdout> ReservedStdout::reserve() {
  PF_TRY(reserved, sys::call_fd("fcntl", "stdout", [] { return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3); }));
  PF_CHECK(sys::call("dup2", "stdout", [] { return ::dup2(STDERR_FILENO, STDOUT_FILENO); }));
  return ReservedStdout(std::move(reserved));
}

void ReservedStdout::write(std::string_view text) const { print(stdout_.raw(), text); }

}  // namespace pinfold::cli
