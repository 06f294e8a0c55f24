// process_io.h: the process's streams, terminals and working directory.
// Invariant: nothing here changes the process, except the time limit of print().
// Not here: the host's files (HostView), decisions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/host_view.h"
#include "pinfold/plan.h"
#include "pinfold/policy.h"
#include "report/render.h"
#include "sys/outlet.h"

namespace pinfold::cli {

bool is_terminal(int fd);

// On, if `fd` is a terminal, TERM is not "dumb" and NO_COLOR is unset.
report::Colour colour_for(int fd, HostView& host);

// Colour as above, and the terminal's width; 0 (no limit) if `fd` is not a terminal.
report::TextFormat format_for(int fd, HostView& host);

// Writes all of `text`; waits for a slow reader until the limit of bound_printing(), if any. A closed pipe is no error.
void print(int fd, std::string_view text);
// The first other write error of print(), such as ENOSPC.
std::optional<Error> output_error();
void print_error(std::string_view what, std::string_view fix, HostView& host);    // "pinfold: error: …", on stderr
void print_warning(std::string_view what, std::string_view fix, HostView& host);  // "pinfold: warning: …", on stderr

// print() and the file of --report stop waiting for a blocked reader at `until`: a run with --timeout must not wait
// longer for a reader of its messages.
void bound_printing(sys::Clock::time_point until);
void bound_printing(const Plan& plan);  // after the plan's time limit, from now on; none without one
sys::WriteDeadline print_patience();

std::string kernel_release();

// Empty if it was removed or has no path.
std::string working_directory();

}  // namespace pinfold::cli
