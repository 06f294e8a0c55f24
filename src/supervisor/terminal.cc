// terminal.cc: termios of the user's terminal.
// Invariant: TCSANOW only. TCSADRAIN and TCSAFLUSH block while the terminal is stopped (Ctrl-S), and the kernel applies
// output settings when text is written, not when it is sent.
#include "supervisor/terminal.h"

#include <unistd.h>

#include <utility>

namespace pinfold::supervisor {

std::optional<UserTerminal> UserTerminal::find() {
  for (int fd : {0, 1, 2}) {
    termios settings{};
    if (::tcgetattr(fd, &settings) == 0) return UserTerminal(fd, settings);
  }
  return std::nullopt;
}

UserTerminal::UserTerminal(UserTerminal&& other) noexcept
    : fd_(other.fd_), original_(other.original_), raw_(std::exchange(other.raw_, false)) {}

void UserTerminal::make_raw() {
  termios raw = original_;
  ::cfmakeraw(&raw);
  if (::tcsetattr(fd_, TCSANOW, &raw) == 0) raw_ = true;
}

void UserTerminal::restore() {
  if (raw_) ::tcsetattr(fd_, TCSANOW, &original_);
  raw_ = false;
}

// Drops the terminal's responses to queries of the command: the shell would read them as a command line.
void UserTerminal::leave() {
  if (raw_) {
    ::tcsetattr(fd_, TCSANOW, &original_);
    ::tcflush(fd_, TCIFLUSH);
  }
  raw_ = false;
}

winsize UserTerminal::size() const {
  winsize size{};
  ::ioctl(fd_, TIOCGWINSZ, &size);
  return size;
}

}  // namespace pinfold::supervisor
