// exec_fd.cc: descriptors in order, then exec.
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

void say(const char* text, std::size_t length) noexcept { static_cast<void>(::write(STDERR_FILENO, text, length)); }

// With the kernel's own number: whoever reads this has the words for it.
[[noreturn]] void fail(const char* what) noexcept {
  const int error = errno;
  const char number[] = {static_cast<char>('0' + error / 100 % 10), static_cast<char>('0' + error / 10 % 10),
                         static_cast<char>('0' + error % 10)};
  say(what, std::strlen(what));
  say(": errno ", 8);
  say(number, sizeof number);
  ::_exit(125);
}

// Lifts them out of the way first: they may have each other's numbers.
bool put_in_order(const Becoming& becoming, int program, int gate) noexcept {
  const int above = gate + 1;
  const int lifted_program = ::fcntl(becoming.program, F_DUPFD_CLOEXEC, above);
  const int lifted_gate = ::fcntl(becoming.gate, F_DUPFD_CLOEXEC, above);
  if (lifted_program < 0 || lifted_gate < 0) return false;
  for (std::size_t i = 0; i < becoming.count; ++i)
    if ((becoming.descriptors[i] = ::fcntl(becoming.descriptors[i], F_DUPFD_CLOEXEC, above)) < 0) return false;
  for (std::size_t i = 0; i < becoming.count + becoming.copies; ++i)
    if (::dup2(becoming.descriptors[i < becoming.count ? i : 0], static_cast<int>(i)) < 0) return false;
  return ::dup3(lifted_program, program, O_CLOEXEC) >= 0 && ::dup3(lifted_gate, gate, O_CLOEXEC) >= 0 &&
         ::syscall(SYS_close_range, static_cast<unsigned>(above), ~0U, 0) == 0;
}

}  // namespace

void become(const Becoming& becoming) noexcept {
  ::setsid();  // the caller's terminal is not its own
  ::signal(SIGCHLD, SIG_DFL);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  const int program = static_cast<int>(becoming.count + becoming.copies);
  const int gate = program + 1;
  if (!put_in_order(becoming, program, gate)) fail("arranging descriptors");
  char byte = 0;
  ssize_t got = -1;
  do {
    got = ::read(gate, &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) ::_exit(0);
  char* const nothing[] = {nullptr};
  ::syscall(SYS_execveat, program, "", becoming.argv, nothing, AT_EMPTY_PATH);
  fail("executing it");
}

}  // namespace pinfold::backend::on_linux::child
