// complain.cc: prints an error that occurs before there is a report.
#include <unistd.h>

#include "cli/commands.h"
#include "cli/process_io.h"
#include "report/outcome.h"
#include "report/render.h"

namespace pinfold::cli {

int complain(const Error& error, HostView& host) {
  const Outcome outcome = report::outcome_of(error);
  print(STDERR_FILENO, report::outcome_message(outcome, colour_for(STDERR_FILENO, host)));
  return exit_code(outcome);
}

}  // namespace pinfold::cli
