// exec_fd.cc: arranges descriptors, then executes.
#include "backend/linux/child/exec_fd.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace pinfold::backend::on_linux::child {
namespace {

void write_stderr(const char* text, std::size_t length) noexcept {
  static_cast<void>(::write(STDERR_FILENO, text, length));
}

// With the errno's number: the supervisor that reads this turns it into a message.
[[noreturn]] void fail(const char* what) noexcept {
  const int error = errno;
  const char number[] = {static_cast<char>('0' + error / 100 % 10), static_cast<char>('0' + error / 10 % 10),
                         static_cast<char>('0' + error % 10)};
  write_stderr(what, std::strlen(what));
  write_stderr(": errno ", 8);
  write_stderr(number, sizeof number);
  ::_exit(125);
}

// Duplicates them above all targets first: they may have each other's numbers.
bool arrange_descriptors(const ExecSetup& setup, int program, int gate) noexcept {
  const int above = gate + 1;
  const int lifted_program = ::fcntl(setup.program, F_DUPFD_CLOEXEC, above);
  const int lifted_gate = ::fcntl(setup.gate, F_DUPFD_CLOEXEC, above);
  if (lifted_program < 0 || lifted_gate < 0) return false;
  for (std::size_t i = 0; i < setup.count; ++i)
    if ((setup.descriptors[i] = ::fcntl(setup.descriptors[i], F_DUPFD_CLOEXEC, above)) < 0) return false;
  for (std::size_t i = 0; i < setup.count + setup.extra_copies; ++i)
    if (::dup2(setup.descriptors[i < setup.count ? i : 0], static_cast<int>(i)) < 0) return false;
  return ::dup3(lifted_program, program, O_CLOEXEC) >= 0 && ::dup3(lifted_gate, gate, O_CLOEXEC) >= 0 &&
         ::syscall(SYS_close_range, static_cast<unsigned>(above), ~0U, 0) == 0;
}

}  // namespace

void exec_fd(const ExecSetup& setup) noexcept {
  ::setsid();  // detaches from the caller's terminal
  ::signal(SIGCHLD, SIG_DFL);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  const int program = static_cast<int>(setup.count + setup.extra_copies);
  const int gate = program + 1;
  if (!arrange_descriptors(setup, program, gate)) fail("arranging descriptors");
  char byte = 0;
  ssize_t got = -1;
  do {
    got = ::read(gate, &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) ::_exit(0);
  char* const nothing[] = {nullptr};
  ::syscall(SYS_execveat, program, "", setup.argv, nothing, AT_EMPTY_PATH);
  fail("executing it");
}

}  // namespace pinfold::backend::on_linux::child
