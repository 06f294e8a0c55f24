// syscall_request.h: decodes a trapped system call into path and network requests, from the caller's registers and
// memory. Invariant: a hint: the memory may change before the kernel reads it. Not here: resolving the paths
// (report_path.h), comparing with the plan (denial_classifier.h).
#pragma once

#include <linux/seccomp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/linux/notify/trapped_call.h"
#include "pinfold/network.h"

namespace pinfold::backend::on_linux {

enum class PathOperation : std::uint8_t {
  kStat,             // stat, access, readlink
  kChangeDirectory,  // chdir
  kRead,             // open
  kWrite,            // open for writing, truncate
  kSetAttributes,    // mode, owner, times, attributes
  kCreate,           // a name that must not exist yet
  kMakeDirectory,    // the same, for directories
  kTemporaryFile,    // a file without a name, in this directory
  kDelete,           // a name of anything but a directory
  kRemoveDirectory,  // of an empty one
  kRename,           // away from this name
  kRenameTo,         // to this one
  kLinkSource,       // only has to be there: what a hard link is made of
  kExecute,
  kConnect,  // to a socket in the file system
  kBind,     // a new one
};

// The call adds or removes the name itself.
constexpr bool changes_name(PathOperation operation) {
  return operation == PathOperation::kDelete || operation == PathOperation::kRemoveDirectory ||
         operation == PathOperation::kRename || operation == PathOperation::kRenameTo;
}

struct PathRequest {
  PathOperation operation = PathOperation::kRead;
  std::string named;
  static constexpr int kWorkingDirectory = -100;  // AT_FDCWD
  int directory = kWorkingDirectory;              // AT_FDCWD, or a descriptor of the caller's
  Follow follow = Follow::kLinks;
  bool creates = false;    // kRead, kWrite: with O_CREAT
  bool exclusive = false;  // with O_CREAT | O_EXCL
};

inline constexpr std::uint16_t kDnsPort = 53;

// A connect to an IP address.
struct NetworkRequest {
  IpAddress address;
  std::uint16_t port = 0;
  bool datagram = false;
  std::string looks_up;  // the host name of the DNS query that the caller is about to send, if it could be read
};

struct SyscallRequest {
  std::vector<PathRequest> paths;  // in the order in which the kernel needs them
  std::optional<NetworkRequest> network;
  int socket = -1;  // the caller's descriptor, with `network`
};

SyscallRequest read_syscall_request(const seccomp_notif& call);

}  // namespace pinfold::backend::on_linux
