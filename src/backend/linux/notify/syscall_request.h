// syscall_request.h: what a trapped system call is about to try, read from the caller's registers and memory.
// Invariant: a hint: the memory may change before the kernel reads it. Not here: where the names lead (report_path.h),
// whether the plan allows it (denial_classifier.h).
#pragma once

#include <linux/seccomp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/linux/notify/trapped_call.h"
#include "pinfold/network.h"

namespace pinfold::backend::on_linux {

enum class Act : std::uint8_t {
  kLook,             // stat, access, readlink
  kEnter,            // chdir
  kRead,             // open
  kWrite,            // open for writing, truncate
  kChange,           // mode, owner, times, attributes
  kCreate,           // a name that must not exist yet
  kMakeDirectory,    // the same, for directories
  kTemporary,        // a file without a name, in this directory
  kDelete,           // a name of anything but a directory
  kRemoveDirectory,  // of an empty one
  kRename,           // away from this name
  kRenameTo,         // to this one
  kTake,             // only has to be there: what a hard link is made of
  kExecute,
  kConnect,  // to a socket in the file system
  kBind,     // a new one
};

// The name goes or comes, whatever becomes of the file.
constexpr bool changes_name(Act act) {
  return act == Act::kDelete || act == Act::kRemoveDirectory || act == Act::kRename || act == Act::kRenameTo;
}

struct Attempt {
  Act act = Act::kRead;
  std::string named;
  static constexpr int kWorkingDirectory = -100;  // AT_FDCWD
  int directory = kWorkingDirectory;              // AT_FDCWD, or a descriptor of the caller's
  Follow follow = Follow::kLinks;
  bool creates = false;    // kRead, kWrite: made where it is missing
  bool exclusive = false;  // and only then
};

inline constexpr std::uint16_t kDnsPort = 53;

// To an address of the network.
struct Reach {
  IpAddress address;
  std::uint16_t port = 0;
  bool datagram = false;
  std::string looks_up;  // the name, where it is about to ask a name server, and that could be read
};

struct Attempts {
  std::vector<Attempt> files;  // in the order in which the kernel needs them
  std::optional<Reach> reach;
  int socket = -1;  // the caller's descriptor, with `reach`
};

Attempts attempts_of(const seccomp_notif& call);

}  // namespace pinfold::backend::on_linux
