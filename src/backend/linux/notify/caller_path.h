// caller_path.h: where a name leads that a waiting program gave to the kernel, walked as the kernel would walk it for that
// program: working directories (also deleted or very deep ones), descriptors, symbolic links, the links of /proc.
// Invariant: opens nothing but places (O_PATH), and so waits for nobody. What cannot be told is told apart from what is
// not there: whoever protects something must refuse it. The program may change names meanwhile: good for refusing and
// undoing, never the only wall.
// Not here: names for a report (report_path.h), what is done about it (guard.cc, landlock/metadata_broker.cc).
#pragma once

#include <cstdint>
#include <string>

#include "backend/linux/notify/trapped_call.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct Place {
  enum class Kind {
    kFound,
    kFails,    // the call will fail by itself: no such directory, a loop of links, no such descriptor
    kUnknown,  // we cannot tell
  };
  Kind kind = Kind::kUnknown;
  sys::Fd parent;    // not open: reached through a link of /proc, or a directory's own "." or ".."
  std::string name;  // in it
  sys::Fd target;    // what is there; not open: nothing
};

// From the working directory (AT_FDCWD) or one of the caller's descriptors.
Place find_place(std::uint32_t pid, int directory, const std::string& path, Follow follow);

}  // namespace pinfold::backend::on_linux
