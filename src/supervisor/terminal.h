// terminal.h: the user's terminal while the command has a pseudo-terminal: raw mode, window size, restoring.
// Invariant: the terminal's settings are always restored, also when the process is stopped or ends early.
#pragma once

#include <sys/ioctl.h>
#include <termios.h>

#include <optional>

namespace pinfold::supervisor {

class UserTerminal {
 public:
  // The first of descriptors 0, 1 and 2 that is a terminal.
  static std::optional<UserTerminal> find();
  ~UserTerminal() { restore(); }
  UserTerminal(UserTerminal&& other) noexcept;
  UserTerminal(const UserTerminal&) = delete;
  UserTerminal& operator=(const UserTerminal&) = delete;
  UserTerminal& operator=(UserTerminal&&) = delete;

  void make_raw();
  void restore();
  void leave();  // restores for good and drops unread input
  winsize size() const;
  const termios& settings() const { return original_; }

 private:
  UserTerminal(int fd, const termios& original) : fd_(fd), original_(original) {}
  int fd_;
  termios original_;
  bool raw_ = false;
};

}  // namespace pinfold::supervisor
