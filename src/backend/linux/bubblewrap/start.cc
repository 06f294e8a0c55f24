// start.cc: forks bubblewrap and listens to it.
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

// It reads the list of all mounts again for each that it makes: a thousand take it seconds, and four times that for two
// thousand.
constexpr auto kStartPatience = std::chrono::seconds(20);
constexpr auto kPatiencePerMount = std::chrono::milliseconds(50);
constexpr int kEndPatience = 2000;  // milliseconds

// A socket, so that one that has ended does not end us by SIGPIPE.
Result<std::pair<sys::Fd, sys::Fd>> make_way() {
  int ends[2];
  PF_TRY(
      made,
      sys::call("socketpair", "bubblewrap", [&] { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }),
      "");
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

// What the kernel has answered, from what bubblewrap makes of it. Whatever it was, a host that keeps user namespaces
// away is the usual cause.
int errno_behind(std::string_view said) {
  auto speaks_of = [&](std::string_view words) { return said.find(words) != std::string_view::npos; };
  if (speaks_of("ENOSPC") || speaks_of("No space left")) return ENOSPC;
  return speaks_of("namespace") || speaks_of("ot permitted") || speaks_of("Permission denied") ? EPERM : 0;
}

}  // namespace

Result<std::unique_ptr<BubblewrapProcess>> BubblewrapProcess::fork(const Setting& setting) {
  auto process = std::make_unique<BubblewrapProcess>();
  PF_TRY(nothing, sys::call_fd("open", "/dev/null", [] { return ::open("/dev/null", O_RDWR | O_CLOEXEC); }), "");
  PF_TRY(words, make_way(), "");
  PF_TRY(gate, make_way(), "");
  // Its standard output must not be a terminal: it would show that to the sandbox, as /dev/console.
  std::vector<int> descriptors = {nothing.raw(),         nothing.raw(),   words.second.raw(), setting.arguments,
                                  setting.first_program, setting.control, setting.memory};
  descriptors.insert(descriptors.end(), setting.files.begin(), setting.files.end());
  PF_CHECK(has_room_for(2 * descriptors.size() + setting.empty_files), "");
  std::string argv[] = {"bwrap",
                        "--args",
                        std::to_string(child::kArgumentsDescriptor),
                        "--",
                        child::kProgramPath,
                        child::kFirstProcessWord};
  char* pointers[] = {argv[0].data(), argv[1].data(), argv[2].data(), argv[3].data(),
                      argv[4].data(), argv[5].data(), nullptr};
  child::Becoming becoming{setting.program,     pointers,        descriptors.data(), descriptors.size(),
                           setting.empty_files, gate.first.raw()};
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  int pidfd = -1;
  long pid = kernel::clone_quietly(0, pidfd);  // until its exec: then the kernel makes it send SIGCHLD, whatever we say
  if (pid == 0) child::become(becoming);
  int error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return tl::unexpected<Error>(sys::os_error("clone", "bubblewrap", error));
  process->pid_ = static_cast<pid_t>(pid);
  process->pidfd_ = sys::Fd::adopt(pidfd);
  process->words_ = std::move(words.first);
  process->gate_ = std::move(gate.second);
  return process;
}

BubblewrapProcess::~BubblewrapProcess() {
  if (pid_ <= 0) return;
  gate_.reset();
  hasten_end();
  end_group();
  while (::waitpid(pid_, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

void BubblewrapProcess::go_on() {
  const char byte = 1;
  static_cast<void>(::send(gate_.raw(), &byte, 1, MSG_NOSIGNAL));  // one that has ended has left words
  gate_.reset();
}

Result<FirstWord> BubblewrapProcess::hear_first(int control, std::size_t mounts) {
  const auto end = sys::Clock::now() + kStartPatience + kPatiencePerMount * mounts;
  pollfd waits[2] = {{control, POLLIN, 0}, {pidfd_.raw(), POLLIN, 0}};
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - sys::Clock::now()).count();
    if (left <= 0) return tl::unexpected<Error>(explain("it did not start in time"));
    if (::poll(waits, 2, static_cast<int>(left)) < 0 && errno != EINTR)
      return tl::unexpected<Error>(sys::os_error("poll", "bubblewrap", errno));
    if (waits[0].revents != 0) break;
    if (waits[1].revents != 0) return tl::unexpected<Error>(explain("it ended without a word"));
    waits[0].revents = waits[1].revents = 0;
  }
  FirstWord word;
  int fds[child::kMaxPacketFds];
  std::size_t count = 0;
  ssize_t got = child::receive_packet(control, &word.here, sizeof word.here, fds, count, 0);
  if (count > 0) word.pidfd = sys::Fd::adopt(fds[0]);
  if (got == static_cast<ssize_t>(sizeof word.here) && word.pidfd.is_open()) return word;
  // The one inside has ended; the one outside has its words by now, or soon.
  ::poll(&waits[1], 1, kEndPatience);
  return tl::unexpected<Error>(explain("it ended without a word"));
}

pid_t BubblewrapProcess::release() {
  words_.reset();
  return std::exchange(pid_, -1);
}

void BubblewrapProcess::hasten_end() const {
  pollfd end{pidfd_.raw(), POLLIN, 0};
  if (::poll(&end, 1, kEndPatience) > 0) return;
  ::syscall(SYS_pidfd_send_signal, pidfd_.raw(), SIGKILL, nullptr, 0);
}

// Failing on its side, it leaves a child that waits for it. They are a session of their own, whose number is nobody
// else's as long as its leader is not reaped.
void BubblewrapProcess::end_group() const {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | __WALL) == 0) ::kill(-pid_, SIGKILL);
}

// Its words are somebody else's text: bounded, and on one line.
Error BubblewrapProcess::explain(std::string what) {
  std::array<char, 1024> text{};
  ::fcntl(words_.raw(), F_SETFL, O_NONBLOCK);
  ssize_t size = ::read(words_.raw(), text.data(), text.size());
  std::string_view said(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (said.ends_with('\n')) said.remove_suffix(1);
  if (said.starts_with("bwrap: ")) said.remove_prefix(7);
  if (!said.empty()) what = text::shown(said);
  const bool about_proc = said.find("mount proc") != std::string_view::npos;
  std::string fix = about_proc ? kMaskedProcFix : explain_no_namespaces(errno_behind(said)).fix();
  return Error(ErrorKind::kUnavailable, "bubblewrap: " + std::move(what), std::move(fix));
}

}  // namespace pinfold::backend::on_linux
