// answer_wait.cc: polls the socket and checks the state of the other process between two polls.
#include "control/answer_wait.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include <fmt/format.h>

#include "sys/call.h"
#include "sys/fd.h"

namespace pinfold::control {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Between two checks; a process must be stopped in two of them, because a debugger that attaches stops it briefly.
constexpr auto kBetweenLooks = milliseconds(250);
constexpr int kLooks = 2;

}  // namespace

pid_t session_process(const Channel& channel) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(channel.raw(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return -1;
  return peer.pid;
}

bool is_stopped(pid_t process) {
  if (process <= 0) return false;
  const auto file = sys::Fd::adopt(::open(fmt::format("/proc/{}/stat", process).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text;
  const ssize_t size = file.is_open() ? ::read(file.raw(), text.data(), text.size()) : -1;
  const std::string_view line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t name_end = line.rfind(')');  // the program name before it may contain any character
  if (name_end == std::string_view::npos || line.size() < name_end + 3) return false;
  return line[name_end + 2] == 'T' || line[name_end + 2] == 't';
}

Error stopped_error(pid_t process) {
  return Error(ErrorKind::kUnavailable, fmt::format("process {}, which runs the session, is stopped", process),
               fmt::format("let it go on: kill -CONT {0}; or end the session: kill -KILL {0}", process));
}

Result<void> await_answer(const Channel& channel, milliseconds patience) {
  const auto until = Clock::now() + patience;
  for (int looks = 0;;) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    pollfd state{channel.raw(), POLLIN, 0};
    const int ready = ::poll(&state, 1, static_cast<int>(std::clamp(left, milliseconds(0), kBetweenLooks).count()));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return tl::unexpected<Error>(sys::os_error("poll", "control", errno));
    const pid_t process = session_process(channel);
    looks = is_stopped(process) ? looks + 1 : 0;
    if (looks >= kLooks) return tl::unexpected<Error>(stopped_error(process));
    if (left <= milliseconds(0))
      return fail(ErrorKind::kUnavailable,
                  fmt::format("process {}, which runs the session, has not answered for {} s", process,
                              std::chrono::duration_cast<std::chrono::seconds>(patience).count()),
                  fmt::format("try again, or end the session: kill -KILL {}", process));
  }
}

}  // namespace pinfold::control
