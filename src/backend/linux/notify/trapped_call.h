// trapped_call.h: reads one trapped system call (its caller, the names it creates or removes) and sends the response.
// Invariant: arguments read from the caller's memory are a hint: they may refuse or report a call, never allow it.
// Not here: deciding (guard.cc), the other operations (syscall_request.cc).
#pragma once

#include <linux/seccomp.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "pinfold/report.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

enum class Follow { kLinks, kNotTheLast };

struct NewName {
  std::string name;   // last component
  int base = -1;      // a relative path starts here: AT_FDCWD or a descriptor of the caller's
  std::string named;  // as the caller wrote it
  Follow follow = Follow::kNotTheLast;
  std::uint64_t address = 0;  // of `named` in the caller's memory
};

// Is it a call that may create a name?
bool creates_a_name(const seccomp_notif& call);
// The names that the call may create: one, or two for an exchange. Empty when the last component is "." or "..".
// nullopt: the memory cannot be read; the call should fail with this errno.
std::optional<std::vector<NewName>> names_created(const seccomp_notif& call);
// The same for the names that the call may remove.
bool removes_a_name(const seccomp_notif& call);
std::optional<std::vector<NewName>> names_removed(const seccomp_notif& call);

// A string in the caller's memory. nullopt: errno says why.
std::optional<std::string> read_string(std::uint32_t pid, std::uint64_t address);
// Exactly this many bytes of it.
std::optional<std::string> read_bytes(std::uint32_t pid, std::uint64_t address, std::size_t size);

// The path to which bind() would bind a local socket; empty: the address has none. nullopt: errno says why.
std::optional<std::string> socket_path(const seccomp_notif& call);

// The whole of a symbolic link, or empty.
std::string read_link(const std::string& path);

// The process that made the call: its pid in the supervisor's pid namespace, and its program.
struct CallerRef {
  std::uint32_t pid = 0;  // 0: it has exited
  std::string program;
};
CallerRef caller_of(std::uint32_t thread);
// Adds the caller to a denial, and the path as the caller wrote it, if it differs from the resource.
void set_caller(Denial& denial, CallerRef caller, const std::string& named);

// The caller still waits, so the memory read before belongs to it: its pid has not been reused.
bool still_waits(int listener, const seccomp_notif& call);

// A duplicate of the calling thread's descriptor (pidfd_getfd), not a second open of the same path.
sys::Fd take_descriptor(std::uint32_t thread, int number);

// Opens the caller's path with O_PATH, from its working directory (AT_FDCWD) or from one of its descriptors; an empty
// path opens the descriptor itself. Only for callers with the supervisor's mounts and root. On failure errno says why.
sys::Fd open_for(std::uint32_t pid, int directory, const std::string& path, Follow follow);
// The path of an open file, or empty when it has none.
std::string path_of(const sys::Fd& fd);

enum class CallResponse { kContinue, kRefuse };
void answer_call(int listener, const seccomp_notif& call, CallResponse reply);
// Ends the call, which the supervisor made for the caller, with 0 or this errno.
void answer_result(int listener, const seccomp_notif& call, int error);
// The call returns this file as a new descriptor of the caller's; `flags`: O_CLOEXEC or 0.
void answer_descriptor(int listener, const seccomp_notif& call, const sys::Fd& fd, unsigned flags);

}  // namespace pinfold::backend::on_linux
