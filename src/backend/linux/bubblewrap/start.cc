// start.cc: forks bubblewrap and waits for its init.
#include "backend/linux/bubblewrap/start.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "backend/linux/child/exec_fd.h"
#include "backend/linux/child/kernel.h"
#include "backend/linux/child/packet.h"
#include "backend/linux/init/failure.h"
#include "base/text.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/event_loop.h"

namespace pinfold::backend::on_linux {
namespace {

// bubblewrap reads the whole mount table again for each mount: 1,000 mounts take seconds, and 2,000 four times as long.
constexpr auto kStartTimeout = std::chrono::seconds(20);
constexpr auto kTimeoutPerMount = std::chrono::milliseconds(50);
constexpr int kEndTimeout = 2000;  // milliseconds

// A socket: a write to a process that has exited raises no SIGPIPE with MSG_NOSIGNAL.
Result<std::pair<sys::Fd, sys::Fd>> make_socket_pair() {
  int ends[2];
  PF_TRY(made, sys::call("socketpair", "bubblewrap",
                         [&] { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }));
  static_cast<void>(made);
  return std::pair{sys::Fd::adopt(ends[0]), sys::Fd::adopt(ends[1])};
}

Result<void> has_room_for(std::size_t descriptors) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || descriptors + 64 < files.rlim_max) return {};
  return fail(
      ErrorKind::kUnavailable,
      "bubblewrap needs a descriptor for each hidden file, and this process may have " + std::to_string(files.rlim_max),
      "merge rules, or raise the hard limit of open files");
}

// Derives the kernel's errno from bubblewrap's message. EPERM for any failure about namespaces or permissions: the
// usual cause is a host that disables user namespaces.
int errno_from_output(std::string_view output) {
  auto mentions = [&](std::string_view error_pipe) { return output.find(error_pipe) != std::string_view::npos; };
  if (mentions("ENOSPC") || mentions("No space left")) return ENOSPC;
  return mentions("namespace") || mentions("ot permitted") || mentions("Permission denied") ? EPERM : 0;
}

}  // namespace

Result<std::unique_ptr<BubblewrapProcess>> BubblewrapProcess::fork(const Options& options) {
  auto process = std::make_unique<BubblewrapProcess>();
  PF_TRY(null_device, sys::call_fd("open", "/dev/null", [] { return ::open("/dev/null", O_RDWR | O_CLOEXEC); }));
  PF_TRY(error_pipe, make_socket_pair());
  PF_TRY(gate, make_socket_pair());
  // Its standard output must not be a terminal: bubblewrap would show that in the sandbox, as /dev/console.
  std::vector<int> descriptors = {null_device.raw(),     null_device.raw(), error_pipe.second.raw(), options.arguments,
                                  options.first_program, options.control,   options.memory};
  descriptors.insert(descriptors.end(), options.files.begin(), options.files.end());
  PF_CHECK(has_room_for(2 * descriptors.size() + options.empty_files));
  std::string argv[] = {
      "bwrap", "--args", std::to_string(child::kArgumentsDescriptor), "--", child::kProgramPath, child::kInitArgument};
  char* pointers[] = {argv[0].data(), argv[1].data(), argv[2].data(), argv[3].data(),
                      argv[4].data(), argv[5].data(), nullptr};
  child::ExecSetup setup{options.program,     pointers,        descriptors.data(), descriptors.size(),
                         options.empty_files, gate.first.raw()};
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  int pidfd = -1;
  long pid = kernel::clone_quietly(0, pidfd);  // until its exec: then the kernel makes it send SIGCHLD in any case
  if (pid == 0) child::exec_fd(setup);
  int error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return tl::unexpected<Error>(sys::os_error("clone", "bubblewrap", error));
  process->pid_ = static_cast<pid_t>(pid);
  process->pidfd_ = sys::Fd::adopt(pidfd);
  process->stderr_ = std::move(error_pipe.first);
  process->gate_ = std::move(gate.second);
  return process;
}

BubblewrapProcess::~BubblewrapProcess() {
  if (pid_ <= 0) return;
  gate_.reset();
  hasten_end();
  kill_group();
  while (::waitpid(pid_, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

void BubblewrapProcess::let_exec() {
  const char byte = 1;
  // an error means that it has exited; wait_for_init() reports why
  static_cast<void>(::send(gate_.raw(), &byte, 1, MSG_NOSIGNAL));
  gate_.reset();
}

Result<InitHandshake> BubblewrapProcess::wait_for_init(int control, std::size_t mounts) {
  const auto end = sys::Clock::now() + kStartTimeout + kTimeoutPerMount * mounts;
  pollfd waits[2] = {{control, POLLIN, 0}, {pidfd_.raw(), POLLIN, 0}};
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - sys::Clock::now()).count();
    if (left <= 0) return tl::unexpected<Error>(explain("it did not start in time"));
    if (::poll(waits, 2, static_cast<int>(left)) < 0 && errno != EINTR)
      return tl::unexpected<Error>(sys::os_error("poll", "bubblewrap", errno));
    if (waits[0].revents != 0) break;
    if (waits[1].revents != 0) return tl::unexpected<Error>(explain("it exited without a message"));
    waits[0].revents = waits[1].revents = 0;
  }
  InitHandshake handshake;
  int fds[child::kMaxPacketFds];
  std::size_t count = 0;
  ssize_t got = child::receive_packet(control, &handshake.hello, sizeof handshake.hello, fds, count, 0);
  if (count > 0) handshake.pidfd = sys::Fd::adopt(fds[0]);
  if (got == static_cast<ssize_t>(sizeof handshake.hello) && handshake.pidfd.is_open()) return handshake;
  // Init has exited; bubblewrap's message is in the socket by now, or arrives when bubblewrap exits.
  ::poll(&waits[1], 1, kEndTimeout);
  return tl::unexpected<Error>(explain("it exited without a message"));
}

pid_t BubblewrapProcess::release() {
  stderr_.reset();
  return std::exchange(pid_, -1);
}

void BubblewrapProcess::hasten_end() const {
  pollfd end{pidfd_.raw(), POLLIN, 0};
  if (::poll(&end, 1, kEndTimeout) > 0) return;
  ::syscall(SYS_pidfd_send_signal, pidfd_.raw(), SIGKILL, nullptr, 0);
}

// If bubblewrap fails, it leaves a child that waits for it. Both are in a session of their own, whose id stays reserved
// as long as its leader is not reaped.
void BubblewrapProcess::kill_group() const {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | __WALL) == 0) ::kill(-pid_, SIGKILL);
}

// bubblewrap's message is text of another program: bounded, and shown on one line.
Error BubblewrapProcess::explain(std::string what) {
  std::array<char, 1024> text{};
  ::fcntl(stderr_.raw(), F_SETFL, O_NONBLOCK);
  ssize_t size = ::read(stderr_.raw(), text.data(), text.size());
  std::string_view output(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (output.ends_with('\n')) output.remove_suffix(1);
  if (output.starts_with("bwrap: ")) output.remove_prefix(7);
  if (!output.empty()) what = text::shown(output);
  const bool about_proc = output.find("mount proc") != std::string_view::npos;
  std::string fix = about_proc ? kMaskedProcFix : explain_no_namespaces(errno_from_output(output)).fix();
  // A procfs with subset=pid (since 5.8) has no /proc/sys, which bwrap reads.
  if (fix.empty() && output.find("/proc/") != std::string_view::npos) fix = kNoProcFix;
  return Error(ErrorKind::kUnavailable, "bubblewrap: " + std::move(what), std::move(fix));
}

}  // namespace pinfold::backend::on_linux
