// notify.h: one trapped system call: which name it would create, read from the caller's memory.
// Invariant: what is read here is a hint, good for refusing and reporting, never for allowing.
// Not here: deciding (guard.cc).
#pragma once

#include <linux/seccomp.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct NewName {
  std::string directory;  // as the sandbox sees it, not yet resolved
  std::string name;       // last component
};

// The names that the call may create: one, or two for an exchange. Empty when the memory cannot be read or the last
// component is "." or "..".
std::vector<NewName> names_created(const seccomp_notif& call);

// Opens the directory as the calling process would see it.
sys::Fd open_in_sandbox(std::uint32_t pid, const std::string& directory);

// A string in the caller's memory.
std::optional<std::string> read_string(std::uint32_t pid, std::uint64_t address);
// Exactly this many bytes of it.
std::optional<std::string> read_bytes(std::uint32_t pid, std::uint64_t address, std::size_t size);

// The caller's own open file, not another one of the same name.
sys::Fd take_descriptor(std::uint32_t pid, int number);

enum class Follow { kLinks, kNotTheLast };
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
