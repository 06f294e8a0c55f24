// terminal_settings.h: settings and size of a terminal, as this system has them.
// Not here: reading or setting them (supervisor/terminal.h).
#pragma once

#ifdef _WIN32
namespace pinfold::sys {
struct TerminalSettings {};  // a console is passed on as it is
struct TerminalSize {};
}  // namespace pinfold::sys
#else
#include <sys/ioctl.h>
#include <termios.h>
namespace pinfold::sys {
using TerminalSettings = ::termios;
using TerminalSize = ::winsize;
}  // namespace pinfold::sys
#endif
