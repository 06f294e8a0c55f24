// host_view.h: the questions that pure code may ask about the host, as an interface.
// Invariant: answering never changes the host. The real one is sys/host.cc; tests use one in memory.
// Not here: any decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pinfold/result.h"

namespace pinfold {

enum class HostKind { kMissing, kFile, kDirectory, kSymlink, kSocket, kDevice, kOther };

struct HostLink {
  std::string at;      // canonical path of the symlink itself
  std::string target;  // canonical path of what it led to
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

// How much of a directory to read: reading ends once either is reached. One call to the kernel cannot be cut short, and
// two are always made: the second says of a small directory that it is complete.
struct ListBounds {
  std::size_t entries = SIZE_MAX;
  std::uint64_t until_ms = UINT64_MAX;  // by now_ms()
};
struct HostListing {
  std::vector<HostEntry> entries;
  bool complete = true;
};

// A file's text and whose it is, both of the very file that was read.
struct HostFile {
  std::string text;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t mode = 0;  // permission bits
};

// May symlinks lead out of the directory that a file is looked for in?
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
  // Resolves every symlink. A missing path is an error of kind kNotFound that names the first missing component.
  virtual Result<HostPathInfo> resolve(const std::string& path) = 0;
  virtual Result<std::string> read_link(const std::string& path) = 0;
  // Another spelling, in upper or lower case, by which the file system finds the same file although the kernel takes it
  // for another name (FUSE, 9p): a mount on one spelling does not cover the other. Empty: there is none.
  virtual std::string other_spelling(const std::string& path) {
    static_cast<void>(path);
    return {};
  }
  // Entries without "." and "..", unsorted.
  virtual Result<HostListing> list_within(const std::string& directory, ListBounds bounds) = 0;
  Result<std::vector<HostEntry>> list(const std::string& directory) {
    auto all = list_within(directory, {});
    if (!all) return tl::unexpected<Error>(std::move(all).error());
    return std::move(all->entries);
  }
  // The first `limit` bytes of a regular file.
  virtual Result<std::string> read_file(const std::string& path, std::size_t limit) = 0;
  // The whole of a regular file `directory`/`name`. kNotFound: there is none; kRefused: a symlink leads out, or it is
  // not a regular file, or longer than `limit`.
  virtual Result<HostFile> read_owned(const std::string& directory, const std::string& name, Links links,
                                      std::size_t limit) = 0;
  // May the caller itself read this path (permissions, not policy)?
  virtual bool readable(const std::string& path) = 0;
  // May it change this file, or make names in this directory?
  virtual bool writable(const std::string& path) = 0;
  // Is this file its own, to change mode and times of?
  virtual bool owned(const std::string& path) = 0;
  // May the caller itself execute this path?
  virtual bool executable(const std::string& path) = 0;
  // Mounts of kernel file systems (proc, sysfs, devtmpfs, devpts, cgroup…) and where they are.
  virtual std::vector<HostMount> kernel_mounts() = 0;
  virtual std::optional<std::string> variable(const std::string& name) = 0;
  virtual std::vector<std::string> variable_names() = 0;
  virtual std::uint64_t memory_size() = 0;
  // Milliseconds of a steady clock, for bounded searches.
  virtual std::uint64_t now_ms() = 0;
  // The first question since the last call of this that the host could not answer: it said "no memory", "too many open
  // files" or "input/output error", where most answers above can only say "missing". Rules that were made from such an
  // answer may protect too little.
  virtual std::optional<Error> take_trouble() { return std::nullopt; }
};

// `made` from the host's answers, or the first error of the host if an answer failed.
template <typename T>
Result<T> unless_in_trouble(HostView& host, Result<T> made) {
  auto trouble = host.take_trouble();
  if (!trouble) return made;
  return tl::unexpected<Error>(std::move(*trouble).within("looking at the host's files"));
}

}  // namespace pinfold
