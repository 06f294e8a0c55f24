// short_process.h: runs one task in a process of its own and takes its one reply.
// Invariant: reaps the process before it returns; the process has its own umask, capabilities and namespaces.
// Not here: the tasks (child/live_mount.cc, child/name_change.cc).
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/live_mount.h"
#include "backend/linux/child/packet.h"
#include "base/try.h"
#include "pinfold/result.h"
#include "sys/call.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct ProcessResult {
  child::LiveMountResult result{};
  sys::Fd fd;
};

// `work` exits the process that it is called in.
template <typename Work>
Result<ProcessResult> run_in_process(Work&& work) {
  int ends[2];
  PF_TRY(made, sys::call("socketpair", "grant",
                         [&] { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }));
  static_cast<void>(made);
  auto ours = sys::Fd::adopt(ends[0]);
  auto theirs = sys::Fd::adopt(ends[1]);
  int pidfd = -1;
  const long pid = kernel::clone_quietly(0, pidfd);
  if (pid == 0) work(theirs.raw());
  if (pid < 0) return tl::unexpected<Error>(sys::os_error("clone", "grant", errno));
  const auto process = sys::Fd::adopt(pidfd);
  theirs.reset();
  ProcessResult out;
  int fds[child::kMaxPacketFds];
  std::size_t count = 0;
  const ssize_t got = child::receive_packet(ours.raw(), &out.result, sizeof out.result, fds, count, 0);
  if (got > 0 && count > 0) out.fd = sys::Fd::adopt(fds[0]);
  while (::waitpid(static_cast<pid_t>(pid), nullptr, __WALL) < 0 && errno == EINTR) {
  }
  if (got != sizeof out.result)
    return fail(ErrorKind::kSystem, "the helper process that mounts a granted path exited unexpectedly");
  return out;
}

}  // namespace pinfold::backend::on_linux
