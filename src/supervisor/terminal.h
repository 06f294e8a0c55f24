// terminal.h: the user's own terminal while a command has its own: raw mode, window size, and giving it back.
// Invariant: the terminal is always restored, also when the process is stopped or ends early.
#pragma once

#include <sys/ioctl.h>
#include <termios.h>

#include <optional>

namespace pinfold::supervisor {

class UserTerminal {
 public:
  // The first of the given descriptors that is a terminal, or none.
  static std::optional<UserTerminal> find();
  ~UserTerminal() { restore(); }
  UserTerminal(UserTerminal&& other) noexcept;
  UserTerminal(const UserTerminal&) = delete;
  UserTerminal& operator=(const UserTerminal&) = delete;
  UserTerminal& operator=(UserTerminal&&) = delete;

  void make_raw();
  void restore();
  void leave();  // for good: what was typed or answered and not read by then is dropped
  winsize size() const;
  const termios& settings() const { return original_; }

 private:
  UserTerminal(int fd, const termios& original) : fd_(fd), original_(original) {}
  int fd_;
  termios original_;
  bool raw_ = false;
};

}  // namespace pinfold::supervisor
