// terminal_settings.h: settings and size of a terminal on this system.
// Not here: reading or setting them (supervisor/terminal.h).
#pragma once

#ifdef _WIN32
namespace pinfold::sys {
struct TerminalSettings {};  // a console is passed on unchanged
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
