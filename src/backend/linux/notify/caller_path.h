// caller_path.h: resolves a path argument of a trapped call as the kernel resolves it for the caller: its working
// directory (also a deleted or a very deep one), its descriptors, symbolic links, the magic links of /proc.
// Invariant: opens files with O_PATH only, so it never blocks. kUnknown differs from kFails: code that protects a name
// must refuse kUnknown. The caller can change names at any time, so the result may refuse or undo a call, and another
// mechanism must back it up.
// Not here: paths for a report (report_path.h), the decision (guard.cc, landlock/metadata_broker.cc).
#pragma once

#include <cstdint>
#include <string>

#include "backend/linux/notify/trapped_call.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct CallerPath {
  enum class Kind {
    kFound,
    kFails,    // the kernel will fail the call: no such directory, a loop of links, no such descriptor
    kUnknown,  // the supervisor cannot resolve it
  };
  Kind kind = Kind::kUnknown;
  sys::Fd parent;    // not open: the path ends at a magic link of /proc, or in "." or ".."
  std::string name;  // in `parent`
  sys::Fd target;    // the file of that name; not open: there is none
};

// From the working directory (AT_FDCWD) or one of the caller's descriptors.
CallerPath resolve_caller_path(std::uint32_t pid, int directory, const std::string& path, Follow follow);

}  // namespace pinfold::backend::on_linux
