// janitor.cc: waits on a socket: a byte means that there is nothing to clean, end of file that the supervisor has
// exited.
#include "backend/linux/protect/janitor.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/try.h"
#include "sys/call.h"
#include "sys/close_range.h"
#include "sys/uninterrupted.h"

namespace pinfold::backend::on_linux {
namespace {

void close_all_but(std::vector<int> keep) {
  std::sort(keep.begin(), keep.end());
  unsigned next = 0;
  for (int fd : keep) {
    auto each = static_cast<unsigned>(fd);
    if (each > next) sys::close_range(next, each - 1);
    next = each + 1;
  }
  sys::close_range(next, ~0U);
}

[[noreturn]] void work(int socket, int sandbox_pidfd, std::vector<int> keep, const std::function<void()>& cleanup) {
  keep.push_back(socket);
  if (sandbox_pidfd >= 0) keep.push_back(sandbox_pidfd);
  close_all_but(std::move(keep));
  ::setsid();
  ::prctl(PR_SET_NAME, "pinfold-janitor");
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  char byte = 0;
  const ssize_t got = sys::uninterrupted([&] { return ::read(socket, &byte, 1); });
  if (got == 1) ::_exit(0);
  pollfd end{sandbox_pidfd, POLLIN, 0};
  if (sandbox_pidfd >= 0) sys::uninterrupted([&] { return ::poll(&end, 1, 5000); });
  cleanup();
  ::_exit(0);
}

}  // namespace

Result<Janitor> Janitor::start(int sandbox_pidfd, std::vector<int> keep, const std::function<void()>& cleanup) {
  int ends[2];
  PF_TRY(made,
         sys::call("socketpair", "janitor", [&] { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }),
         "starting the janitor");
  static_cast<void>(made);
  auto read_end = sys::Fd::adopt(ends[0]);
  Janitor janitor;
  janitor.socket_ = sys::Fd::adopt(ends[1]);
  PF_TRY(pid, sys::call("fork", "janitor", [] { return ::fork(); }), "starting the janitor");
  if (pid == 0) {
    janitor.socket_.reset();
    work(read_end.raw(), sandbox_pidfd, std::move(keep), cleanup);
  }
  janitor.pid_ = pid;
  return janitor;
}

void Janitor::stop() {
  if (pid_ <= 0) return;
  char byte = 1;
  // A socket: MSG_NOSIGNAL prevents SIGPIPE if another process has killed the janitor.
  static_cast<void>(::send(socket_.raw(), &byte, 1, MSG_NOSIGNAL));
  wait_for_end();
}

void Janitor::clean_up_now() {
  if (pid_ > 0) wait_for_end();
}

void Janitor::wait_for_end() {
  socket_.reset();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace pinfold::backend::on_linux
