// host_view.h: read access to the host for pure code, as an interface.
// Invariant: no call changes the host. The real implementation is sys/host.cc; tests use fake_host.h.
// Not here: any decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pinfold/result.h"

namespace pinfold {

// kUnreachable: a directory above it may not be searched (EACCES), so that it may exist or not. Only reach() tells it
// from kMissing.
enum class HostKind { kMissing, kFile, kDirectory, kSymlink, kSocket, kDevice, kOther, kUnreachable };

struct HostLink {
  std::string at;      // canonical path of the symlink itself
  std::string target;  // canonical path of its target
};

struct HostPathInfo {
  std::string canonical;  // no symlink in it
  HostKind kind = HostKind::kMissing;
  std::vector<HostLink> links;  // every symlink walked on the way
};

struct HostEntry {
  std::string name;
  HostKind kind = HostKind::kOther;
};

// Limits for reading a directory: reading ends at either. At least two getdents64() calls are made, and none is cut
// short: the second shows that a small directory is complete.
struct ListBounds {
  std::size_t entries = SIZE_MAX;
  std::uint64_t until_ms = UINT64_MAX;  // by now_ms()
};
struct HostListing {
  std::vector<HostEntry> entries;
  bool complete = true;
};

// Text, owner and mode of the same file.
struct HostFile {
  std::string text;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t mode = 0;  // permission bits
};

// Whether symlinks may lead out of the directory in which a file is opened.
enum class Links { kStayInside, kAnywhere };

struct HostMount {
  std::string at;
  std::string type;  // "proc", "devtmpfs", …
};

struct HostIdentity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string user;
  std::string home;
};

class HostView {
 public:
  HostView() = default;
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;
  virtual ~HostView() = default;

  virtual HostIdentity identity() = 0;
  // lstat.
  virtual HostKind kind(const std::string& path) = 0;
  // The same, with kUnreachable.
  virtual HostKind reach(const std::string& path) { return kind(path); }
  // Resolves every symlink. A missing path is an error of kind kNotFound that names the first missing component.
  virtual Result<HostPathInfo> resolve(const std::string& path) = 0;
  virtual Result<std::string> read_link(const std::string& path) = 0;
  // Another spelling, in upper or lower case, for which the file system finds the same file although the kernel treats
  // it as another name (FUSE, 9p): a mount on one spelling does not cover the other. Empty: none.
  virtual std::string other_spelling(const std::string& path) {
    static_cast<void>(path);
    return {};
  }
  // Entries without "." and "..", unsorted. kRefused: the caller may not list it (EACCES).
  virtual Result<HostListing> list_within(const std::string& directory, ListBounds bounds) = 0;
  Result<std::vector<HostEntry>> list(const std::string& directory) {
    auto all = list_within(directory, {});
    if (!all) return tl::unexpected<Error>(std::move(all).error());
    return std::move(all->entries);
  }
  // The first `limit` bytes of a regular file.
  virtual Result<std::string> read_file(const std::string& path, std::size_t limit) = 0;
  // The whole regular file `directory`/`name`. kNotFound: no such file; kRefused: a symlink leads out of the directory,
  // the file is not regular, or it is longer than `limit`.
  virtual Result<HostFile> read_owned(const std::string& directory, const std::string& name, Links links,
                                      std::size_t limit) = 0;
  // Whether the caller may read this path (permissions, not policy).
  virtual bool readable(const std::string& path) = 0;
  // Whether the caller may write this file, or create files in this directory.
  virtual bool writable(const std::string& path) = 0;
  // Whether the caller owns this file and may change its mode and times.
  virtual bool owned(const std::string& path) = 0;
  // Whether the caller may execute this path.
  virtual bool executable(const std::string& path) = 0;
  // Mounts of kernel file systems (proc, sysfs, devtmpfs, devpts, cgroup…) and where they are.
  virtual std::vector<HostMount> kernel_mounts() = 0;
  virtual std::optional<std::string> variable(const std::string& name) = 0;
  virtual std::vector<std::string> variable_names() = 0;
  virtual std::uint64_t memory_size() = 0;
  // Milliseconds of a steady clock, for bounded searches.
  virtual std::uint64_t now_ms() = 0;
  // The first call since the last take_host_error() that failed with ENOMEM, EMFILE, ENFILE or EIO, where most
  // functions above can only return "missing". Rules made from such a result may protect too little.
  virtual std::optional<Error> take_host_error() { return std::nullopt; }
};

// Returns `made`, which was computed from results of the host, or the first error of the host.
template <typename T>
Result<T> unless_host_failed(HostView& host, Result<T> made) {
  auto error = host.take_host_error();
  if (!error) return made;
  return tl::unexpected<Error>(std::move(*error).within("looking at the host's files"));
}

}  // namespace pinfold
