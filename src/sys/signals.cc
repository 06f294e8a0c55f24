// signals.cc: SIGXFSZ and SIGPIPE.
#include "sys/signals.h"

#include <csignal>

namespace pinfold::sys {
namespace {

// An empty handler instead of SIG_IGN, which the command would inherit across execve().
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
