// signal_name.cc: names of signals, on systems that have signals.
// Invariant: a number has the name that this system gives it. Not here: Windows (windows/signal_name.cc).
#include <csignal>

#include <fmt/format.h>

#include "report/outcome.h"

namespace pinfold::report {

std::string signal_name(int number) {
  struct Name {
    int number;
    const char* name;
  };
  static constexpr Name kNames[] = {
      {SIGHUP, "SIGHUP"},
      {SIGINT, "SIGINT"},
      {SIGQUIT, "SIGQUIT"},
      {SIGILL, "SIGILL"},
      {SIGTRAP, "SIGTRAP"},
      {SIGABRT, "SIGABRT"},
      {SIGBUS, "SIGBUS"},
      {SIGFPE, "SIGFPE"},
      {SIGKILL, "SIGKILL"},
      {SIGUSR1, "SIGUSR1"},
      {SIGSEGV, "SIGSEGV"},
      {SIGUSR2, "SIGUSR2"},
      {SIGPIPE, "SIGPIPE"},
      {SIGALRM, "SIGALRM"},
      {SIGTERM, "SIGTERM"},
      {SIGCHLD, "SIGCHLD"},
      {SIGCONT, "SIGCONT"},
      {SIGSTOP, "SIGSTOP"},
      {SIGTSTP, "SIGTSTP"},
      {SIGTTIN, "SIGTTIN"},
      {SIGTTOU, "SIGTTOU"},
      {SIGURG, "SIGURG"},
      {SIGXCPU, "SIGXCPU"},
      {SIGXFSZ, "SIGXFSZ"},
      {SIGVTALRM, "SIGVTALRM"},
      {SIGPROF, "SIGPROF"},
      {SIGIO, "SIGIO"},
      {SIGWINCH, "SIGWINCH"},
      {SIGSYS, "SIGSYS"},
      // Linux alone has these; on macOS the numbers are those of SIGURG and SIGUSR1, which were found above.
      {16, "SIGSTKFLT"},
      {30, "SIGPWR"}};
  for (const Name& known : kNames)
    if (known.number == number) return known.name;
  return fmt::format("signal {}", number);
}

}  // namespace pinfold::report
