// prespawn.cc: forks the process, and waits until it has executed the command. Parent and child share memory, as with
// vfork: one of them always sleeps in a single call. vfork itself would not do: the kernel counts its waiting parent in
// the load average.
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

// Peeked: other requests are left to the command init.
bool is_run_request(const PrespawnedCommand& command) noexcept {
  RequestMessage message{};
  ssize_t got = -1;
  do {
    got = ::recv(command.control, &message, sizeof message, MSG_PEEK);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof message) && message.kind == RequestKind::kRun &&
         message.terminal_mask == 0 && message.trap == command.trap;
}

constexpr int kAccessModes[] = {O_RDONLY, O_WRONLY, O_RDWR};

int prespawn_main(void* argument) noexcept {
  auto& command = *static_cast<PrespawnedCommand*>(argument);
  // If the command init ends, no process would report the command's end.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != command.command_init) ::_exit(0);
  if (::getuid() == 0)  // see replace_null_device()
    for (const int mode : kAccessModes) {
      command.start.nulls[mode] = open_null_device(mode);
      if (command.start.nulls[mode] == kNotOpened) ::_exit(0);
    }
  if (!install_filter(command.start, command.trap) || !is_run_request(command)) ::_exit(0);
  Request& request = command.request;
  if (receive_packet(command.control, &request.message, sizeof request.message, request.fds, request.count, 0) <= 0)
    ::_exit(0);
  command.is_taken = true;
  command.last_pid_before = command.last_pid(command.init);
  if (!request.map_arguments(command.start)) {
    command.start.failure = Failure{Stage::kRequest, errno, -1};
    ::_exit(127);
  }
  request.assign_stdio(command.start, -1);
  ::prctl(PR_SET_PDEATHSIG, 0);
  exec_command(command.start, FilterState::kInstalled);
}

alignas(16) char prespawn_stack[64 * 1024];

}  // namespace

pid_t run_prespawned(PrespawnedCommand& command) noexcept {
  int exec_pipe[2];
  if (::pipe2(exec_pipe, O_CLOEXEC) != 0) return -1;
  command.start.spared_fd = exec_pipe[1];
  command.command_init = ::getpid();
  const int pid = ::clone(prespawn_main, prespawn_stack + sizeof prespawn_stack, CLONE_VM | SIGCHLD, &command);
  ::close(exec_pipe[1]);
  // The child writes nothing there: its end closes at exec or exit, and then it no longer uses this memory.
  if (pid > 0) {
    pollfd end{exec_pipe[0], POLLIN, 0};
    while (::poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
  }
  ::close(exec_pipe[0]);
  return pid;
}

}  // namespace pinfold::backend::on_linux::child
