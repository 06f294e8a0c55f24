// signals.cc: SIGXFSZ and SIGPIPE.
#include "sys/signals.h"

#include <csignal>

namespace pinfold::sys {
namespace {

// A handler that does nothing, and not SIG_IGN: execve() would pass that on to the command.
void survive(int number) {
  struct sigaction now {};
  if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  nothing.sa_flags = SA_RESTART;
  ::sigaction(number, &nothing, nullptr);
}

}  // namespace

void survive_file_size_limit() { survive(SIGXFSZ); }

void survive_broken_pipes() { survive(SIGPIPE); }

}  // namespace pinfold::sys
