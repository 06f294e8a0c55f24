// outlet.cc: opens a new open file description where the kernel allows it, else interrupts write(2) with a timer.
#include "sys/outlet.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "sys/call.h"

namespace pinfold::sys {
namespace {

#ifdef __linux__

// Opening /proc/self/fd/N opens the same pipe or terminal again, with separate flags. Not for the master side of a pty:
// opening that makes another pty. Fails with EACCES if another user made the pipe or owns the terminal.
Fd open_again(int fd, const struct stat& info) {
  unsigned number = 0;
  const bool is_terminal = S_ISCHR(info.st_mode) && ::isatty(fd) == 1 && ::ioctl(fd, TIOCGPTN, &number) != 0;
  if (!S_ISFIFO(info.st_mode) && !is_terminal) return {};
  const std::string path = fmt::format("/proc/self/fd/{}", fd);
  auto again = Fd::adopt(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat same {};
  if (!again.is_open() || ::fstat(again.raw(), &same) != 0) return {};
  const bool is_same = same.st_dev == info.st_dev && same.st_ino == info.st_ino && same.st_rdev == info.st_rdev;
  return is_same ? std::move(again) : Fd();
}

// While it exists, a signal interrupts this thread every kLongestWrite. Not SIGALRM: alarm(2) survives execve(), so its
// timer may be the caller's.
class Interruption {
 public:
  Interruption() {
    struct sigaction quiet {};
    quiet.sa_handler = [](int) {};  // without SA_RESTART
    ::sigaction(number_, &quiet, &handler_);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, number_);
    ::pthread_sigmask(SIG_UNBLOCK, &only, &mask_);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number_;
    event._sigev_un._tid = ::gettid();
    is_set_ = ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    const timespec each{0, std::chrono::nanoseconds(Outlet::kLongestWrite).count()};
    const itimerspec spec{each, each};  // periodic: the first signal may arrive before write() begins
    if (is_set_) ::timer_settime(timer_, 0, &spec, nullptr);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption() {
    const itimerspec never{};
    const bool stopped = !is_set_ || ::timer_settime(timer_, 0, &never, nullptr) == 0;
    const bool deleted = !is_set_ || ::timer_delete(timer_) == 0;
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    // The default action of this signal ends the process: a timer that still runs keeps its handler.
    if (stopped || deleted) ::sigaction(number_, &handler_, nullptr);
  }
  bool is_set() const { return is_set_; }

 private:
  const int number_ = SIGRTMAX - 1;
  struct sigaction handler_ {};
  sigset_t mask_{};
  timer_t timer_{};
  bool is_set_ = false;
};

#else

Fd open_again(int, const struct stat&) { return {}; }

struct Interruption {
  static bool is_set() { return false; }
};

#endif

bool has_room(int fd, int milliseconds) {
  pollfd state{fd, POLLOUT, 0};
  return ::poll(&state, 1, milliseconds) == 1;
}

}  // namespace

Outlet::Outlet(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    error_ = errno;
    return;
  }
  const int flags = ::fcntl(fd, F_GETFL);
  const bool may_block = S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode);
  if (S_ISSOCK(info.st_mode)) {
    method_ = WriteMethod::kSocket;
  } else if (may_block && (flags & O_NONBLOCK) == 0) {
    fd_ = open_again(fd, info);
    if (!fd_.is_open()) method_ = WriteMethod::kTimed;
  }
  if (!fd_.is_open()) fd_ = Fd::adopt(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!fd_.is_open()) error_ = errno;
}

ssize_t Outlet::write(std::string_view text) const {
  ssize_t size = -1;
  if (!is_open()) {
    errno = error_;
    return size;
  }
  do {
    if (method_ == WriteMethod::kTimed) return write_timed(text);
    size = method_ == WriteMethod::kSocket ? ::send(raw(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                                           : ::write(raw(), text.data(), text.size());
  } while (size < 0 && errno == EINTR);
  return size;
}

ssize_t Outlet::write_timed(std::string_view text) const {
  if (!has_room(raw(), 0)) {
    errno = EAGAIN;
    return -1;
  }
  ssize_t size = -1;
  int error = 0;
  {
    [[maybe_unused]] const Interruption interruption;
    // A pipe with room takes PIPE_BUF bytes unless another process fills it first. A terminal promises one byte.
    const std::size_t most = std::min<std::size_t>(text.size(), PIPE_BUF);
    size = ::write(raw(), text.data(), most);
    error = errno;
  }
  errno = error == EINTR ? EAGAIN : error;
  return size;
}

Result<void> Outlet::write_all(std::string_view text, const std::string& shown, WriteDeadline deadline) const {
  auto taken = Clock::now();
  bool had_room = false;
  while (!text.empty()) {
    const ssize_t size = write(text);
    if (size < 0 && errno == EPIPE) return fail(ErrorKind::kNotFound, os_error("write", shown, EPIPE).text());
    if (size < 0 && errno != EAGAIN) return tl::unexpected<Error>(os_error("write", shown, errno));
    if (size > 0) {
      text.remove_prefix(static_cast<std::size_t>(size));
      taken = Clock::now();
      had_room = false;
      continue;
    }
    if (std::exchange(had_room, false)) ::poll(nullptr, 0, static_cast<int>(kRetry.count()));
    int wait = -1;
    if (deadline.until) {
      const auto last = std::max(*deadline.until, taken + kUnread);
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(last - Clock::now()).count();
      if (left <= 0)
        return fail(ErrorKind::kUnavailable,
                    fmt::format("writing {}: its reader took nothing for {} s", shown, kUnread.count()));
      wait = static_cast<int>(std::min<std::int64_t>(left, INT_MAX));
    }
    had_room = has_room(raw(), wait);
  }
  return {};
}

}  // namespace pinfold::sys
