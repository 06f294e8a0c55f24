// own_stdout.cc: two descriptors change places.
#include "cli/own_stdout.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/try.h"
#include "cli/process_io.h"
#include "sys/call.h"

namespace pinfold::cli {

Result<OwnStdout> OwnStdout::keep() {
  PF_TRY(kept, sys::call_fd("fcntl", "stdout", [] { return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3); }), "");
  PF_CHECK(sys::call("dup2", "stdout", [] { return ::dup2(STDERR_FILENO, STDOUT_FILENO); }), "");
  return OwnStdout(std::move(kept));
}

void OwnStdout::answer(std::string_view text) const { print(kept_.raw(), text); }

}  // namespace pinfold::cli
