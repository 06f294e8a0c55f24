// report_path.h: what a name means to a process in the sandbox: symbolic links, "..", working directories, descriptors.
// Invariant: a look, never a decision: the process may change names meanwhile and fools only the report. Opens nothing
// but places (O_PATH), follows no link of /proc by itself, and so waits for nobody.
// Not here: the caller's memory (trapped_call.h), what is tried with the name (syscall_request.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/linux/notify/trapped_call.h"
#include "base/host_view.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct Inside {
  std::string path;  // canonical as far as it exists, and the names that do not exist behind it
  HostKind kind = HostKind::kMissing;
  bool parent_exists = true;  // only the last name may be missing
};

std::uint64_t mount_of(int directory, const std::string& path);

// The sandbox's files. One root for all: nobody inside can have another.
class InsideView {
 public:
  // From the working directory (AT_FDCWD) or one of the caller's descriptors. Nothing: it leads to no place in the
  // file system, or nowhere whatever is allowed.
  // The number of the mount that a directory lies on, as whoever comes now sees it; 0: not known.
  std::uint64_t mount_at(const std::string& directory) const;
  std::optional<Inside> find(std::uint32_t pid, int directory, const std::string& name, Follow follow);

 private:
  struct Walk;
  sys::Fd open(const std::string& path, std::uint64_t flags) const;
  std::optional<Inside> missing(Walk& walk) const;
  std::optional<Inside> step(Walk& walk) const;

  sys::Fd root_;
};

}  // namespace pinfold::backend::on_linux
