// exit_status.h: converts a Windows exit code to an outcome.
// Not here: exit codes of pinfold itself (report.h).
#pragma once

#include <cstdint>

#include "pinfold/report.h"

namespace pinfold::supervisor {

// The exit code of a crashed program is the number of the exception, which is mapped to the equivalent signal.
inline Outcome outcome_of_exit(std::uint32_t code) {
  switch (code) {
    case 0xC000013A: return Signaled{2, {}};   // Ctrl-C
    case 0xC000001D: return Signaled{4, {}};   // illegal instruction
    case 0xC0000409:                           // fail fast: a broken stack guard, abort()
    case 0xC0000602: return Signaled{6, {}};   // fail fast, by the program itself
    case 0xC0000094:                           // division by zero
    case 0xC0000095: return Signaled{8, {}};   // overflow
    case 0xC0000005:                           // access violation
    case 0xC00000FD: return Signaled{11, {}};  // stack overflow
    default: return Exited{static_cast<int>(code)};
  }
}

}  // namespace pinfold::supervisor
