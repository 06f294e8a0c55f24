// report_path.h: resolves a path of a sandboxed process for the report: symbolic links, "..", working directories,
// descriptors.
// Invariant: the kernel does not act on the result: a process that changes names in between misleads only the report.
// Opens files with O_PATH only and follows no magic link of /proc, so it never blocks.
// Not here: the caller's memory (trapped_call.h), the operation on the path (syscall_request.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/linux/notify/trapped_call.h"
#include "base/host_view.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct ReportPath {
  std::string path;  // canonical as far as it exists, then the names that do not exist
  HostKind kind = HostKind::kMissing;
  bool parent_exists = true;  // false: more than the last name is missing
  std::string on_host{};      // canonical, of a path that the sandbox does not show; empty: not resolved yet
};

std::uint64_t mount_of(int directory, const std::string& path);

// The sandbox's file tree. All sandboxed processes have the same root: the filter refuses chroot and pivot_root.
class SandboxPathView {
 public:
  // The mount id of a directory, resolved now from the sandbox's root; 0: not known.
  std::uint64_t mount_at(const std::string& directory) const;
  // From the working directory (AT_FDCWD) or one of the caller's descriptors. nullopt: the path names no file of a file
  // system (a pipe, a deleted file), or fails under any policy (ELOOP, ENOTDIR).
  std::optional<ReportPath> resolve(std::uint32_t pid, int directory, const std::string& name, Follow follow);

 private:
  struct Walk;
  sys::Fd open(const std::string& path, std::uint64_t flags) const;
  std::optional<ReportPath> missing(Walk& walk) const;
  std::optional<ReportPath> step(Walk& walk) const;

  sys::Fd root_;
};

}  // namespace pinfold::backend::on_linux
