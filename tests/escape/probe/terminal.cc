// terminal.cc: attempts on the user's terminal: typing for the user, writing to it, making it answer.
// Invariant: the terminal is a pty that the suite made; the byte pushed is a plain letter.
// Not here: whether the suite's side of the terminal saw it.
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "probe.h"

namespace probe {
namespace {

// Every descriptor that may be a terminal, and the controlling one.
Result push_letter(std::uint64_t command) {
  int own = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  int last = own < 0 ? errno : 0;
  for (int fd : {0, 1, 2, own}) {
    char letter = 'z';
    if (fd >= 0 && ::syscall(SYS_ioctl, fd, command, &letter) == 0) {
      return reached("typed a letter into descriptor " + std::to_string(fd));
    }
    if (fd >= 0) last = errno;
  }
  return denied(errno_name(last));
}

Result type_for_user(const Args&) { return push_letter(TIOCSTI); }

// The kernel looks at the low 32 bits only; a filter that compares all 64 lets these pass.
Result type_with_high_bits(const Args& args) {
  return push_letter(TIOCSTI | (static_cast<std::uint64_t>(number(args[0])) << 32));
}

Result console_call(std::uint64_t command) {
  int last = ENOTTY;
  for (const char* path : {"/dev/tty0", "/dev/tty1", "/dev/console", "/dev/tty", ""}) {
    int fd = path[0] != '\0' ? ::open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : 0;
    if (fd < 0) {
      last = errno;
      continue;
    }
    char subcode = 6;  // TIOCL_GETSHIFTSTATE: reads the shift keys, changes nothing
    if (::syscall(SYS_ioctl, fd, command, &subcode) >= 0) return reached(std::string("a console call on ") + path);
    last = errno;
  }
  return denied(errno_name(last));
}

Result console(const Args&) { return console_call(TIOCLINUX); }
Result console_with_high_bits(const Args& args) {
  return console_call(TIOCLINUX | (static_cast<std::uint64_t>(number(args[0])) << 32));
}

Result write_to_terminal(const Args& args) {
  int fd = ::open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return denied();
  if (::write(fd, args[0].data(), args[0].size()) < 0) return denied();
  return reached("wrote to the terminal");
}

Result open_terminal_by_name(const Args& args) {
  int fd = ::open(args[0].c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return denied();
  if (::write(fd, "planted\n", 8) < 0) return denied();
  return reached("wrote to " + args[0]);
}

// Asks for the cursor's place and leaves without reading the answer: it would be typed into the next program.
Result make_it_answer(const Args&) {
  if (::isatty(1) == 0) return cannot("stdout is no terminal");
  if (::write(1, "\033[6n", 4) != 4) return denied();
  nap_ms(150);
  return reached("asked the terminal");
}

Result take_terminal(const Args& args) {
  int fd = ::open(args[0].c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return denied();
  termios settings{};
  if (::tcgetattr(fd, &settings) < 0) return denied();
  return reached("holds " + args[0]);
}

// Both ends, as terminal emulators and test runners open them from a thread of theirs.
Result openpty_in_thread(const Args&) {
  Result result = cannot("no thread ran");
  std::thread([&result] {
    int master = -1;
    int slave = -1;
    if (::openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) {
      result = denied();
      return;
    }
    char letter = 0;
    const bool passed = ::write(master, "x\n", 2) == 2 && ::read(slave, &letter, 1) == 1 && letter == 'x';
    result = passed ? reached("a terminal of its own") : denied("nothing came through");
  }).join();
  return result;
}

constexpr Attempt kAttempts[] = {
    {"openpty-in-thread", 0, openpty_in_thread},
    {"tiocsti", 0, type_for_user},
    {"tiocsti-high-bits", 1, type_with_high_bits},
    {"tioclinux", 0, console},
    {"tioclinux-high-bits", 1, console_with_high_bits},
    {"write-to-terminal", 1, write_to_terminal},
    {"open-terminal-by-name", 1, open_terminal_by_name},
    {"make-it-answer", 0, make_it_answer},
    {"take-terminal", 1, take_terminal},
};

}  // namespace

std::span<const Attempt> terminal_attempts() { return kAttempts; }

}  // namespace probe
