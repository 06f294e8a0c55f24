// metadata_broker.cc: paths and processes that a call would change.
#include "backend/linux/landlock/metadata_broker.h"

#include <asm/unistd.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "backend/linux/landlock/attributes.h"
#include "backend/linux/limits/tree_usage.h"
#include "backend/linux/notify/caller_path.h"
#include "backend/linux/notify/trapped_call.h"
#include "plan/plan_view.h"

namespace pinfold::backend::on_linux {
namespace {

struct NameArgument {
  int directory;  // index of the descriptor's argument, -1 for the working directory
  int path;
  // The call removes or replaces the name: everything below it is affected, too.
  bool removes_name;
};

// The names that the call would change.
std::vector<NameArgument> names_changed(const seccomp_notif& call) {
  // Opens for reading may be trapped, too, for observation.
  auto if_writing = [&](int flags, NameArgument named) {
    constexpr std::uint64_t kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    return (call.data.args[flags] & kWrites) != 0 ? std::vector{named} : std::vector<NameArgument>{};
  };
  switch (call.data.nr) {
#ifdef __NR_open
    case __NR_open: return if_writing(1, {-1, 0, false});
    case __NR_creat:
    case __NR_mkdir:
    case __NR_mknod:
    case __NR_truncate: return {{-1, 0, false}};
    case __NR_unlink:
    case __NR_rmdir: return {{-1, 0, true}};
    case __NR_rename: return {{-1, 0, true}, {-1, 1, true}};
    case __NR_link: return {{-1, 0, false}, {-1, 1, false}};
    case __NR_symlink: return {{-1, 1, false}};
#else
    case __NR_truncate: return {{-1, 0, false}};
#endif
    case __NR_openat: return if_writing(2, {0, 1, false});
    case __NR_mkdirat:
    case __NR_mknodat: return {{0, 1, false}};
    case __NR_unlinkat: return {{0, 1, true}};
    case __NR_symlinkat: return {{1, 2, false}};
    // A second name for a protected file would allow writes to it.
    case __NR_linkat: return {{0, 1, false}, {2, 3, false}};
#ifdef __NR_renameat
    case __NR_renameat:
#endif
    case __NR_renameat2: return {{0, 1, true}, {2, 3, true}};
    case __NR_bind: return {{-1, 1, false}};
    default: return {};
  }
}

// Appends the path of a found file. False: the file has a path, and it cannot be read.
bool add_path(const sys::Fd& fd, const std::string& below, std::vector<std::string>& out) {
  if (!fd.is_open()) return true;
  std::string path = path_of(fd);
  if (path.empty()) {
    struct stat info {};
    if (::fstat(fd.raw(), &info) != 0) return false;
    // Pipes, sockets, and unlinked files are never protected.
    return (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) || info.st_nlink == 0;
  }
  if (!below.empty()) path += (path == "/" ? "" : "/") + below;
  if (out.empty() || out.back() != path) out.push_back(std::move(path));
  return true;
}

// The paths of the name and of its target. nullopt: unknown; errno is the call's result.
std::optional<std::vector<std::string>> paths_of(const seccomp_notif& call, const NameArgument& named) {
  const bool binds = call.data.nr == __NR_bind;
  const auto path = binds ? socket_path(call) : read_string(call.pid, call.data.args[named.path]);
  if (!path) return std::nullopt;
  if (binds && path->empty()) return std::vector<std::string>();  // not a name in the file system
  const int directory = named.directory < 0 ? AT_FDCWD : static_cast<int>(call.data.args[named.directory]);
  std::vector<std::string> out;
  errno = EACCES;
  if (path->empty()) {  // the descriptor itself, if the call accepts an empty path
    const sys::Fd itself = open_for(call.pid, directory, "", Follow::kLinks);
    return add_path(itself, "", out) ? std::optional(out) : std::nullopt;
  }
  for (const Follow follow : {Follow::kNotTheLast, Follow::kLinks}) {
    const CallerPath place = resolve_caller_path(call.pid, directory, *path, follow);
    errno = EACCES;
    if (place.kind == CallerPath::Kind::kUnknown) return std::nullopt;
    if (!add_path(place.parent, place.name, out)) return std::nullopt;
    // Writes go to the target, not to the link.
    if ((follow == Follow::kLinks || !place.parent.is_open()) && !add_path(place.target, "", out)) return std::nullopt;
  }
  errno = 0;
  return out;
}

Denial denial(const AccessEntry& entry) {
  Denial out;
  out.operation = "write";
  out.resource = entry.path;
  out.rule = "protected (" + entry.origin.where + ")";
  if (entry.origin.where != plan::kClosedToOwner) out.allow_with = "--write " + entry.path;
  out.source = DenialSource::kObserved;
  return out;
}

// The process of the caller's pidfd.
pid_t process_behind(std::uint32_t pid, std::uint64_t descriptor) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fdinfo/" + std::to_string(static_cast<int>(descriptor));
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  std::array<char, 256> line{};
  int process = -1;
  while (file && std::fgets(line.data(), line.size(), file.get()) != nullptr)
    if (std::sscanf(line.data(), "Pid: %d", &process) == 1) return process;
  return -1;
}

// Opens the slave side of the caller's own terminal.
void open_terminal(int listener, const seccomp_notif& call) {
  constexpr std::uint64_t kMay = O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK;
  auto master = take_descriptor(call.pid, static_cast<int>(call.data.args[0]));
  const std::uint64_t flags = call.data.args[2];
  if (!master.is_open()) return answer_result(listener, call, EBADF);
  if ((flags & ~kMay) != 0) return answer_result(listener, call, EINVAL);
  auto slave = sys::Fd::adopt(::ioctl(master.raw(), TIOCGPTPEER, static_cast<int>(flags | O_NOCTTY | O_CLOEXEC)));
  if (!slave.is_open()) return answer_result(listener, call, errno);
  answer_descriptor(listener, call, slave, static_cast<unsigned>(flags & O_CLOEXEC));
}

}  // namespace

bool MetadataBroker::answer(int listener, const seccomp_notif& call, SandboxEvents& events) {
  if (changes_attributes(call.data.nr)) {
    auto change = attribute_target(call);
    if (!change) {
      answer_result(listener, call, EFAULT);
      return true;
    }
    auto file = open_for(call.pid, change->directory, change->path, change->follow);
    int error = file.is_open() ? 0 : errno;
    if (error == 0) {
      const std::string path = path_of(file);
      error = !path.empty() && table_.may_change(path) ? change_attributes(call, file) : EPERM;
      if (const AccessEntry* entry = table_.protection(path); entry != nullptr) events.denied(denial(*entry));
    }
    answer_result(listener, call, error);
    return true;
  }
  if (call.data.nr == __NR_ioctl) {
    open_terminal(listener, call);
    return true;
  }
  int error = check_process(call);
  if (error == 0) error = check_write(call, events);
  if (error != 0) answer_result(listener, call, error);
  return error != 0;
}

int MetadataBroker::check_write(const seccomp_notif& call, SandboxEvents& events) const {
  for (const NameArgument& named : names_changed(call)) {
    const auto paths = paths_of(call, named);
    if (!paths) return errno != 0 ? errno : EACCES;
    for (const std::string& path : *paths) {
      const AccessEntry* entry = table_.protection(path);
      if (entry == nullptr && named.removes_name) entry = table_.protection_below(path);
      if (entry == nullptr) continue;
      events.denied(denial(*entry));
      return EACCES;
    }
  }
  return 0;
}

bool MetadataBroker::is_inside(pid_t process) const { return process > 0 && is_below(process, tree_); }

// All processes of this group must be inside: a group can outlive the process that made it.
bool MetadataBroker::is_group_inside(pid_t group) const {
  std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  bool any = false;
  while (const dirent* entry = proc ? ::readdir(proc.get()) : nullptr) {
    const int process = std::atoi(entry->d_name);
    if (process <= 0 || ::getpgid(process) != group) continue;
    if (!is_inside(process)) return false;
    any = true;
  }
  return any;
}

int MetadataBroker::check_process(const seccomp_notif& call) const {
  auto argument = [&](int index) { return static_cast<int>(call.data.args[index]); };
  auto unless = [](bool ours) { return ours ? 0 : EPERM; };
  auto process_or_group = [&](bool is_process, bool is_group, int target) {
    if (is_process) return unless(is_inside(target));
    return is_group ? unless(is_group_inside(target)) : EPERM;
  };
  switch (call.data.nr) {
    case __NR_kill:
      if (argument(0) == 0) return unless(is_group_inside(::getpgid(static_cast<pid_t>(call.pid))));
      if (argument(0) == -1) return EPERM;
      return process_or_group(argument(0) > 0, true, std::abs(argument(0)));
    case __NR_tkill:
    case __NR_rt_sigqueueinfo:
    case __NR_prlimit64:
    case __NR_sched_setscheduler:
    case __NR_sched_setparam:
    case __NR_sched_setattr:
    case __NR_sched_setaffinity:
    case __NR_migrate_pages: return unless(is_inside(argument(0)));
    case __NR_tgkill:
    case __NR_rt_tgsigqueueinfo: return unless(is_inside(argument(0)) && is_inside(argument(1)));
    case __NR_pidfd_send_signal: return unless(is_inside(process_behind(call.pid, call.data.args[0])));
    case __NR_setpriority: return process_or_group(argument(0) == PRIO_PROCESS, argument(0) == PRIO_PGRP, argument(1));
    case __NR_ioprio_set:
      return process_or_group(argument(0) == IOPRIO_WHO_PROCESS, argument(0) == IOPRIO_WHO_PGRP, argument(1));
    default: return 0;
  }
}

}  // namespace pinfold::backend::on_linux
