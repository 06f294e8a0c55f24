// prespawn.cc: makes the process, and waits until it is something else.
// The two share memory, like a parent and its vfork: one of them is always asleep in a single call. A vfork would do,
// if the kernel did not count who waits for one among those who keep the machine busy.
#include "backend/linux/child/prespawn.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace pinfold::backend::on_linux::child {
namespace {

// Looked at, not taken: whoever keeps the command serves what is not for us.
bool is_for_us(const Ready& ready) noexcept {
  Asked asked{};
  ssize_t got = -1;
  do {
    got = ::recv(ready.control, &asked, sizeof asked, MSG_PEEK);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof asked) && asked.ask == Ask::kRun && asked.terminal_mask == 0 &&
         asked.trap == ready.trap;
}

int ready_main(void* argument) noexcept {
  auto& ready = *static_cast<Ready*>(argument);
  // Whoever keeps us gone, nobody would hear of what we run.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != ready.keeper) ::_exit(0);
  if (::getuid() == 0)  // see own_null()
    for (int mode : {O_RDONLY, O_WRONLY, O_RDWR})
      ready.start.nulls[mode] = ::open("/dev/null", mode | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  if (!filter_calls(ready.start, ready.trap) || !is_for_us(ready)) ::_exit(0);
  Request& request = ready.request;
  if (receive_packet(ready.control, &request.asked, sizeof request.asked, request.fds, request.count, 0) <= 0)
    ::_exit(0);
  ready.is_taken = true;
  ready.made = ready.last_pid(ready.asker);
  if (!request.lay_out(ready.start)) {
    ready.start.failure = Failure{Stage::kRequest, errno, -1};
    ::_exit(127);
  }
  request.hand_over(ready.start, -1);
  ::prctl(PR_SET_PDEATHSIG, 0);
  become_command(ready.start, Filter::kStands);
}

alignas(16) char ready_stack[64 * 1024];

}  // namespace

pid_t wait_ready(Ready& ready) noexcept {
  int gone[2];
  if (::pipe2(gone, O_CLOEXEC) != 0) return -1;
  ready.start.kept_open = gone[1];
  ready.keeper = ::getpid();
  const int pid = ::clone(ready_main, ready_stack + sizeof ready_stack, CLONE_VM | SIGCHLD, &ready);
  ::close(gone[1]);
  // It writes nothing there: its end closes with its exec, or with itself, and either way it has left our memory.
  if (pid > 0) {
    pollfd end{gone[0], POLLIN, 0};
    while (::poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
  }
  ::close(gone[0]);
  return pid;
}

}  // namespace pinfold::backend::on_linux::child
