// signal_name.cc: Windows has no signals, and few of their names: the numbers are Linux's.
// Not here: which end of a program counts as which signal (supervisor/windows/exit_status.h).
#include <fmt/format.h>

#include "report/outcome.h"

namespace pinfold::report {

std::string signal_name(int number) {
  switch (number) {
    case 2: return "SIGINT";
    case 4: return "SIGILL";
    case 6: return "SIGABRT";
    case 8: return "SIGFPE";
    case 9: return "SIGKILL";
    case 11: return "SIGSEGV";
    case 15: return "SIGTERM";
    default: return fmt::format("signal {}", number);
  }
}

}  // namespace pinfold::report
