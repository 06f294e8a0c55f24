// process_io.h: what the command line needs from the process around it: its terminals, its streams.
// Invariant: asks only; nothing here changes the process.
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

// Only on a terminal that can, and when NO_COLOR is unset.
report::Colour colour_for(int fd, HostView& host);

// Colour as above, and the width of a terminal; anything else is as wide as its lines.
report::Paper paper_for(int fd, HostView& host);

// Writes everything, and waits for the reader as long as that lives, or as bound_printing() says. A reader that went
// away is not an error worth telling.
void print(int fd, std::string_view text);
// Why something that was printed did not arrive, for any other reason: a full disk, most often.
std::optional<Error> lost_output();
void print_error(std::string_view what, std::string_view fix, HostView& host);    // "pinfold: error: …", on stderr
void print_warning(std::string_view what, std::string_view fix, HostView& host);  // "pinfold: warning: …", on stderr

// From now on print() and the file of --report give up on a reader that takes nothing: no command that a user gave a
// time to may wait longer than that for somebody to read its messages.
void bound_printing(sys::Clock::time_point until);
void bound_printing(const Plan& plan);  // by its limit on time, from now on; no limit: no bound
sys::Patience print_patience();

std::string kernel_release();

// Empty: it is gone, or cannot be named.
std::string working_directory();

}  // namespace pinfold::cli
