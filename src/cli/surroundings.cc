// surroundings.cc: the process around the command line.
// Invariant: asks only; every call to the OS that the command line makes for itself is here, in prompt.cc or
// report_file.cc. Not here: the host's files (HostView).
#include "cli/surroundings.h"

#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <climits>
#include <cstring>

#include "report/outcome.h"
#include "report/table.h"
#include "sys/call.h"

namespace pinfold::cli {

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

report::Colour colour_for(int fd, HostView& host) {
  const auto no_colour = host.variable("NO_COLOR");
  const auto term = host.variable("TERM");
  const bool able = term && !term->empty() && *term != "dumb";
  return is_terminal(fd) && able && (!no_colour || no_colour->empty()) ? report::Colour::kOn : report::Colour::kOff;
}

report::Paper paper_for(int fd, HostView& host) {
  winsize size{};
  const bool known = is_terminal(fd) && ::ioctl(fd, TIOCGWINSZ, &size) == 0;
  return {colour_for(fd, host), known ? size.ws_col : std::size_t{0}};
}

void print(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = sys::call("write", "output", [&] { return ::write(fd, text.data(), text.size()); });
    if (!written) return;
    text.remove_prefix(static_cast<std::size_t>(*written));
  }
}

void print_error(std::string_view what, std::string_view fix, HostView& host) {
  const SetupFailed failed{SetupStage::kSandbox, std::string(what), std::string(fix)};
  print(STDERR_FILENO, report::outcome_message(failed, colour_for(STDERR_FILENO, host)));
}

void print_warning(std::string_view what, std::string_view fix, HostView& host) {
  std::string out = report::paint("pinfold: warning:", report::Paint::kWarn, colour_for(STDERR_FILENO, host)) + " " +
                    report::visible(what) + "\n";
  if (!fix.empty()) out += "  fix: " + report::visible(fix) + "\n";
  print(STDERR_FILENO, out);
}

std::string working_directory() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) != nullptr && path[0] == '/' ? path : "";
}

std::string kernel_release() {
  utsname name{};
  if (::uname(&name) != 0) return "unknown";
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

}  // namespace pinfold::cli
