// trapped_call.h: one trapped system call: who made it, which name it would create, read from the caller's memory.
// Invariant: what is read here is a hint, good for refusing and reporting, never for allowing.
// Not here: deciding (guard.cc), what else is tried (syscall_request.cc).
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
  int base = -1;      // a relative one starts here: AT_FDCWD or a descriptor of the caller's
  std::string named;  // as the caller wrote it
  Follow follow = Follow::kNotTheLast;
};

// Is it a call that may create a name?
bool creates_a_name(const seccomp_notif& call);
// The names that the call may create: one, or two for an exchange. Empty when the last component is "." or "..".
// Nothing: the memory cannot be read; errno is what the call should end with.
std::optional<std::vector<NewName>> names_created(const seccomp_notif& call);
// The same for the names that it would take away.
bool removes_a_name(const seccomp_notif& call);
std::optional<std::vector<NewName>> names_removed(const seccomp_notif& call);

// A string in the caller's memory. Nothing: errno says why.
std::optional<std::string> read_string(std::uint32_t pid, std::uint64_t address);
// Exactly this many bytes of it.
std::optional<std::string> read_bytes(std::uint32_t pid, std::uint64_t address, std::size_t size);

// The path to which bind() would bind a local socket; empty: the address has none. Nothing: errno says why.
std::optional<std::string> socket_path(const seccomp_notif& call);

// The whole of a symbolic link, or empty.
std::string read_link(const std::string& path);

// Who made the call: its process, as we count them, and its program.
struct Who {
  std::uint32_t pid = 0;  // 0: it is gone
  std::string program;
};
Who who_is(std::uint32_t thread);
// Notes in a denial who tried, and by which name, if that is not the resource itself.
void note_who(Denial& denial, Who who, const std::string& named);

// Whose memory was read is still the caller's: nobody else has got its number meanwhile.
bool still_waits(int listener, const seccomp_notif& call);

// The calling thread's own open file, not another one of the same name.
sys::Fd take_descriptor(std::uint32_t thread, int number);

// What the caller means by a path, pinned: from its working directory (AT_FDCWD) or from one of its descriptors;
// without a path the descriptor itself. Only where the caller sees the same files as we do. On failure errno says why.
sys::Fd open_for(std::uint32_t pid, int directory, const std::string& path, Follow follow);
// The path of what is open here, or empty when it has none.
std::string path_of(const sys::Fd& fd);

enum class Answer { kContinue, kRefuse };
void answer_call(int listener, const seccomp_notif& call, Answer answer);
// The call has been made on the caller's behalf: 0, or the errno that it ends with.
void answer_result(int listener, const seccomp_notif& call, int error);
// The call returns this file as a new descriptor of the caller's; `flags`: O_CLOEXEC or 0.
void answer_descriptor(int listener, const seccomp_notif& call, const sys::Fd& fd, unsigned flags);

}  // namespace pinfold::backend::on_linux
