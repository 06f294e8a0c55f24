// surroundings.h: what the command line needs from the process around it: its terminals, its streams.
// Invariant: asks only; nothing here changes the process.
// Not here: the host's files (HostView), decisions.
#pragma once

#include <string>
#include <string_view>

#include "base/host_view.h"
#include "pinfold/policy.h"
#include "report/render.h"

namespace pinfold::cli {

bool is_terminal(int fd);

// Only on a terminal that can, and when NO_COLOR is unset.
report::Colour colour_for(int fd, HostView& host);

// Colour as above, and the width of a terminal; anything else is as wide as its lines.
report::Paper paper_for(int fd, HostView& host);

// Writes everything; a reader that went away is not an error worth telling.
void print(int fd, std::string_view text);
void print_error(std::string_view what, std::string_view fix, HostView& host);    // "pinfold: error: …", on stderr
void print_warning(std::string_view what, std::string_view fix, HostView& host);  // "pinfold: warning: …", on stderr

std::string kernel_release();

// Empty: it is gone, or cannot be named.
std::string working_directory();

}  // namespace pinfold::cli
