// process_io.cc: the process's streams, terminals and working directory.
// Invariant: changes nothing but the time limit of print(). Not here: the host's files (HostView).
#include "cli/process_io.h"

#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstring>

#include "report/outcome.h"
#include "report/table.h"
#include "supervisor/limits.h"

namespace pinfold::cli {
namespace {

// One per process, like the standard streams.
sys::WriteDeadline patience;
std::optional<Error>& first_write_error() {
  static std::optional<Error> first;
  return first;
}

}  // namespace

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

report::Colour colour_for(int fd, HostView& host) {
  const auto no_colour = host.variable("NO_COLOR");
  const auto term = host.variable("TERM");
  const bool able = term && !term->empty() && *term != "dumb";
  return is_terminal(fd) && able && (!no_colour || no_colour->empty()) ? report::Colour::kOn : report::Colour::kOff;
}

report::TextFormat format_for(int fd, HostView& host) {
  winsize size{};
  const bool known = is_terminal(fd) && ::ioctl(fd, TIOCGWINSZ, &size) == 0;
  return {colour_for(fd, host), known ? size.ws_col : std::size_t{0}};
}

void bound_printing(sys::Clock::time_point until) { patience.until = until; }

void bound_printing(const Plan& plan) {
  if (const auto wall = supervisor::limit_of(plan, LimitKind::kWallTime))
    bound_printing(sys::Clock::now() + std::chrono::milliseconds(*wall));
}

sys::WriteDeadline print_patience() { return patience; }

void print(int fd, std::string_view text) {
  if (text.empty()) return;
  const auto written = sys::Outlet(fd).write_all(text, "the output", patience);
  if (!written && written.error().kind() == ErrorKind::kSystem && !first_write_error())
    first_write_error() = written.error();
}

std::optional<Error> output_error() { return first_write_error(); }

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
