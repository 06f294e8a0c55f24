// missing.h: functions and constants that shared code uses and Darwin's C library lacks, under the same names, so that
// the callers need no #ifdef. Included before every file of the macOS build (platforms/darwin.cmake).
// Invariant: each behaves as on Linux, except that setting a flag is a second call: another thread could fork between
// the two, but Pinfold has one thread while it starts processes. Not here: code that differs on macOS (event_loop.cc).
#pragma once

#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#define SOCK_CLOEXEC 0x10000000
#define SOCK_NONBLOCK 0x20000000
#define O_PATH 0  // opens for reading instead: the callers work with either
#define GRND_NONBLOCK 0
// fcntl() fails for these: pipes keep their size, and relays copy.
#define F_SETPIPE_SZ 0x7001
#define F_GETPIPE_SZ 0x7002
#define SPLICE_F_NONBLOCK 0U
#define SPLICE_F_MOVE 0U
// TCP states after the peer closed its end. CLOSED is 0 here, as in a struct that getsockopt() did not fill: the next
// read() reports that state instead.
#define tcp_info tcp_connection_info
#define TCP_INFO TCP_CONNECTION_INFO
#define TCP_CLOSE_WAIT 5
#define TCP_CLOSE 8  // TCPS_LAST_ACK
// Macros here, which cannot follow "::"; the functions exist, too.
#undef sigemptyset
#undef sigaddset
#undef sigfillset
#undef sigismember

namespace pinfold::sys::darwin {

// On failure closes the descriptor and returns -1.
inline int with_flags(int fd, bool close_on_exec, bool non_blocking) {
  if (fd < 0) return fd;
  const int status = non_blocking ? ::fcntl(fd, F_GETFL) : 0;
  if ((close_on_exec && ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) ||
      (non_blocking && (status < 0 || ::fcntl(fd, F_SETFL, status | O_NONBLOCK) != 0))) {
    const int error = errno;
    ::close(fd);
    errno = error;
    return -1;
  }
  return fd;
}
inline int socket_with_flags(int fd, int flags) {
  const int one = 1;
  if (fd >= 0) ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &one, sizeof one);
  return with_flags(fd, (flags & SOCK_CLOEXEC) != 0, (flags & SOCK_NONBLOCK) != 0);
}
inline constexpr int kSocketFlags = SOCK_CLOEXEC | SOCK_NONBLOCK;

}  // namespace pinfold::sys::darwin

inline int pinfold_socket(int family, int type, int protocol) {
  namespace darwin = pinfold::sys::darwin;
  return darwin::socket_with_flags(::socket(family, type & ~darwin::kSocketFlags, protocol), type);
}
#define socket(family, type, protocol) pinfold_socket(family, type, protocol)

inline int accept4(int listener, sockaddr* address, socklen_t* size, int flags) {
  return pinfold::sys::darwin::socket_with_flags(::accept(listener, address, size), flags);
}

inline int pipe2(int* ends, int flags) {
  if (::pipe(ends) != 0) return -1;
  for (int i = 0; i < 2; ++i)
    if (pinfold::sys::darwin::with_flags(ends[i], (flags & O_CLOEXEC) != 0, (flags & O_NONBLOCK) != 0) < 0) {
      ::close(ends[1 - i]);
      return -1;
    }
  return 0;
}

inline ssize_t getrandom(void* buffer, std::size_t size, unsigned) {
  return ::getentropy(buffer, size) == 0 ? static_cast<ssize_t>(size) : -1;
}

inline ssize_t splice(int, void*, int, void*, std::size_t, unsigned) {
  errno = EINVAL;  // the relay copies instead
  return -1;
}

// Does not wait: callers pass a timeout of zero.
inline int sigtimedwait(const sigset_t* wanted, void*, const struct timespec*) {
  sigset_t pending;
  if (::sigpending(&pending) == 0)
    for (int number = 1; number < NSIG; ++number)
      if (::sigismember(wanted, number) == 1 && ::sigismember(&pending, number) == 1) {
        int got = 0;
        return ::sigwait(wanted, &got) == 0 ? got : -1;
      }
  errno = EAGAIN;
  return -1;
}
