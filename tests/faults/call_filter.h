// call_filter.h: the seccomp filter that stops a tracee at every system call that can fail.
#pragma once

namespace faults {

// Installs the filter in this process. Needs CAP_SYS_ADMIN: no_new_privs would change the program under test.
bool install_call_filter();

}  // namespace faults
