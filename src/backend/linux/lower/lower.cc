// lower.cc: turns each plan step into plain data for init.
// Invariant: exhaustive over the step variant; a step that this backend cannot lower is an error, never skipped.
// Not here: the order of mounts (mount_plan.cc), which limits need a cgroup (limits.cc).
#include "backend/linux/lower/lower.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "backend/linux/child/kernel.h"
#include "backend/linux/limits/limits.h"
#include "backend/linux/lower/loaders.h"
#include "backend/linux/lower/mount_plan.h"
#include "backend/linux/lower/steps.h"
#include "backend/linux/seccomp/filter.h"
#include "base/paths.h"
#include "base/try.h"
#include "sys/call.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace pinfold::backend::on_linux {
namespace {

constexpr std::uint64_t kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

std::uint64_t mount_attributes(View view) {
  std::uint64_t attributes = kQuiet;
  if (view == View::kRead || view == View::kReadExec) attributes |= MOUNT_ATTR_RDONLY;
  if (view == View::kRead || view == View::kWrite) attributes |= MOUNT_ATTR_NOEXEC;
  return attributes;
}

class Lowering {
 public:
  Lowering(const Plan& plan, const LandlockSupport& landlock, SharedMemory shared_memory, Growth growth)
      : plan_(plan),
        landlock_(landlock),
        shared_memory_(shared_memory),
        growth_(growth),
        out_(std::make_unique<LoweredPlan>()),
        mounts_(out_->text) {}

  Result<std::unique_ptr<LoweredPlan>> run() && {
    auto& blueprint = out_->blueprint;
    blueprint.landlock_abi = landlock_.abi;
    blueprint.landlock_handled = landlock_handled(landlock_.abi);
    blueprint.landlock_root = LANDLOCK_ACCESS_FS_READ_DIR;
    blueprint.new_session = true;
    out_->frame.working_dir = keep(plan_.working_dir);
    for (const Step& step : plan_.steps) {
      auto done = std::visit([&](const auto& body) { return this->lower(body); }, step.body);
      if (!done) return tl::unexpected<Error>(std::move(done).error().within("planning the sandbox"));
    }
    out_->ops = std::move(mounts_).build();
    blueprint.root_is_shown = mounts_.root_is_shown();
    blueprint.ops = out_->ops.data();
    blueprint.op_count = out_->ops.size();
    out_->plain = FilterOptions{exec_, Traps::kOff, shared_memory_};
    build_filters(plan_, out_->traps ? Traps::kNewNames : Traps::kOff, growth_, *out_);
    if (out_->asks) open_landlock();
    lower_limits(limits_, uid_, Counting::kPids, *out_);
    return std::move(out_);
  }

 private:
  const char* keep(std::string text) { return out_->text.emplace_back(std::move(text)).c_str(); }

  // Landlock rules cannot grow, and a later grant would need one: mounts alone decide, except about executable
  // programs.
  void open_landlock() {
    auto& blueprint = out_->blueprint;
    blueprint.landlock_root = blueprint.landlock_handled;
    if (exec_ != ExecMode::kAny) blueprint.landlock_root &= ~std::uint64_t{LANDLOCK_ACCESS_FS_EXECUTE};
  }

  Result<void> lower(const ShowPath& step) {
    if (step.view == View::kRead && executable_.contains(step.at)) return {};
    auto rights = landlock_rights_behind_mounts(step.view, step.kind);
    if (step.ensure == Ensure::kCreate && !make_kept_directory(step.host, step.subdirectories)) {
      // The home is not writable: this run keeps the cache in memory instead.
      mounts_.tmp(step.at, "25%", mount_attributes(step.view), rights);
      return {};
    }
    mounts_.show(step.host, step.at, step.kind, mount_attributes(step.view), rights);
    return {};
  }
  Result<void> lower(const HidePath& step) {
    const std::string closed = closed_above(step.at);
    for (const std::string& pin : step.pins)
      if (closed.empty() || !is_at_or_below(pin, closed)) mounts_.pin(pin);
    if (closed.empty())
      mounts_.hide(step.at, step.kind);
    else
      mounts_.hide(closed, EntryKind::kDirectory);
    return {};
  }
  Result<void> lower(const ProtectPath& step) {
    const std::string closed = closed_above(step.at);
    for (const std::string& pin : step.pins)
      if (closed.empty() || !is_at_or_below(pin, closed)) mounts_.pin(pin);
    if (closed.empty())
      mounts_.freeze(step.at, step.kind);
    else
      mounts_.freeze(closed, EntryKind::kDirectory);
    return {};
  }
  Result<void> lower(const ProtectName& step) {
    std::string path = step.parent == "/" ? "/" + step.name : step.parent + "/" + step.name;
    // Renaming a directory above it would move the name. The mount plan pins only directories that the run may rename.
    if (step.guard == NameGuard::kPlaceholder || step.exists)
      for (std::string_view at = step.parent; at.size() > 1; at = paths::parent(at)) mounts_.pin(std::string(at));
    // A placeholder exists before init looks (placeholder.cc); it is masked like any protected file.
    if (step.guard == NameGuard::kPlaceholder) mounts_.freeze(path, EntryKind::kFile);
    out_->traps = true;
    return {};
  }
  Result<void> lower(const CleanGit&) {
    out_->traps = true;
    return {};
  }
  Result<void> lower(const MakeDirectory& step) {
    mounts_.make_directory(step.at);
    return {};
  }
  Result<void> lower(const MakeLink& step) {
    mounts_.make_link(step.at, step.target);
    return {};
  }
  Result<void> lower(const MakeFile& step) {
    mounts_.make_file(step.at, step.content);
    return {};
  }

  Result<void> lower(const PrivateTmp& step) {
    std::string size = std::to_string(std::max<std::uint64_t>(step.size, 1 << 20));
    std::uint64_t attributes = kQuiet | (step.exec ? 0 : std::uint64_t{MOUNT_ATTR_NOEXEC});
    auto rights = landlock_rights(step.exec ? View::kWriteExec : View::kWrite, EntryKind::kDirectory);
    for (const std::string& at : step.at) {
      // A second file system costs more than a link; if something is shown in it, it must be a real directory.
      bool plain = at == "/var/tmp" && at != step.at.front() && !anything_at_or_below("/var");
      if (plain)
        mounts_.make_link(at, step.at.front());
      else
        mounts_.tmp(at, size, attributes, rights);
    }
    return {};
  }

  // Returns the first directory above the path that the command's user may not search, or an empty string: neither the
  // command nor init can reach anything in it. An operation on a path in it is applied to this directory instead: its
  // owner could chmod it while the command runs.
  std::string closed_above(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      if (std::string directory = path.substr(0, slash); is_closed(directory)) return directory;
    return {};
  }
  bool is_closed(const std::string& directory) {
    const auto [known, fresh] = closed_.try_emplace(directory, false);
    struct stat info {};
    if (fresh && uid_ != 0) {
      known->second = ::faccessat(AT_FDCWD, directory.c_str(), X_OK, AT_EACCESS) != 0 && errno == EACCES;
    } else if (fresh && ::lstat(directory.c_str(), &info) == 0) {
      // Root in the sandbox has no capabilities, so that modes count for it, too.
      const mode_t search = info.st_uid == 0 ? S_IXUSR : info.st_gid == 0 ? S_IXGRP : S_IXOTH;
      known->second = S_ISDIR(info.st_mode) && (info.st_mode & search) == 0;
    }
    return known->second;
  }
  static bool is_at_or_below(const std::string& path, const std::string& directory) {
    return path == directory || path.starts_with(directory + "/");
  }

  bool anything_at_or_below(const std::string& directory) const {
    auto inside = [&](const std::string& at) {
      return at == "/" || at == directory || at.starts_with(directory + "/");
    };
    return std::any_of(plan_.steps.begin(), plan_.steps.end(), [&](const Step& step) {
      const auto* shown = std::get_if<ShowPath>(&step.body);
      const auto* made = std::get_if<MakeDirectory>(&step.body);
      return (shown != nullptr && inside(shown->at)) || (made != nullptr && inside(made->at));
    });
  }

  Result<void> lower(const Devices&) {
    mounts_.own("/dev");
    for (const char* path : child::kDevices) mounts_.device(path, landlock_device_rights());
    for (const auto& [at, target] : child::kDeviceLinks) mounts_.make_link(at, target);
    mounts_.terminals("/dev/pts", landlock_device_rights() | LANDLOCK_ACCESS_FS_READ_DIR);
    return {};
  }

  Result<void> lower(const Processes& step) {
    if (step.pid == PidMode::kShared)
      return fail(ErrorKind::kUnavailable, "sharing the host's processes is not implemented",
                  "leave out share_pid: commands see only their own processes");
    mounts_.proc("/proc", landlock_rights(View::kRead, EntryKind::kDirectory) | LANDLOCK_ACCESS_FS_WRITE_FILE |
                              LANDLOCK_ACCESS_FS_TRUNCATE);
    return {};
  }

  Result<void> lower(const Network& step) {
    out_->private_network = step.mode != NetworkMode::kFull;
    out_->blueprint.network_by_name = step.mode == NetworkMode::kDomains;
    // Abstract sockets belong to a network namespace: if the sandbox shares the host's, Landlock must deny them.
    if (!out_->private_network && landlock_.abi >= 6)
      out_->blueprint.landlock_scoped = kernel::kScopeAbstractUnixSocket;
    return {};
  }

  // Everything else is mounted noexec. Executable programs are shown without noexec, also where a rule shows the same
  // path.
  Result<void> lower(const ExecLimit& step) {
    exec_ = step.mode;
    if (step.mode == ExecMode::kAny) return {};
    for (const char* directory : {"/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/games",
                                  "/usr/libexec", "/bin", "/sbin"}) {
      struct stat info {};
      if (::lstat(directory, &info) == 0 && S_ISDIR(info.st_mode)) mounts_.own(directory);
    }
    executable_.insert(step.libraries.begin(), step.libraries.end());
    executable_.insert(step.programs.begin(), step.programs.end());
    for (const std::string& directory : step.libraries)
      mounts_.show(directory, directory, EntryKind::kDirectory, kQuiet | MOUNT_ATTR_RDONLY,
                   landlock_rights(View::kRead, EntryKind::kDirectory));
    for (const std::string& program : step.programs)
      mounts_.show(program, program, EntryKind::kFile, kQuiet | MOUNT_ATTR_RDONLY,
                   landlock_rights(View::kReadExec, EntryKind::kFile));
    return allow_loaders(*out_);
  }

  Result<void> lower(const Environment&) { return {}; }  // sent with each command

  Result<void> lower(const LimitStep& step) {
    limits_.push_back(step);
    return {};
  }

  Result<void> lower(const Identity& step) {
    out_->blueprint.guard_proc = out_->blueprint.closes_devices = step.uid == 0;
    uid_ = step.uid;
    return {};
  }

  Result<void> lower(const Terminal& step) {
    out_->blueprint.new_session = step.session == SessionMode::kNew;
    return {};
  }

  Result<void> lower(const SystemCalls&) { return {}; }  // build_filters()
  Result<void> lower(const Observe&) { return {}; }      // build_filters()

  const Plan& plan_;
  const LandlockSupport& landlock_;
  SharedMemory shared_memory_;
  Growth growth_;
  std::unique_ptr<LoweredPlan> out_;
  MountPlanBuilder mounts_;
  std::vector<LimitStep> limits_;
  ExecMode exec_ = ExecMode::kAny;
  std::unordered_map<std::string, bool> closed_;  // directories that the command's user may not search
  std::set<std::string> executable_;              // programs and libraries of an exec rule
  std::uint32_t uid_ = 0;
};

// The kernel checks the flags before the filter.
bool has_wait_killable() {
  const unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, nullptr) >= 0 || errno != EINVAL;
}

// Random, so that no process inside knows it: with it, a process could start programs untrapped.
std::uint32_t random_mark() {
  std::uint32_t mark = 0;
  if (::getrandom(&mark, sizeof mark, GRND_NONBLOCK) != sizeof mark) mark = static_cast<std::uint32_t>(::getpid());
  return mark | 1;  // a spare argument is often 0
}

}  // namespace

void build_filters(const Plan& plan, Traps traps, Growth growth, LoweredPlan& out) {
  const auto* observe = find_step<Observe>(plan);
  if (observe != nullptr && observe->mode != ObserveMode::kOff) {
    if (has_wait_killable())
      out.observe = observe->mode;
    else
      out.why_not_observed = "before Linux 5.19 a signal would interrupt observed calls";
  }
  FilterOptions options = out.plain;
  if (const auto* calls = find_step<SystemCalls>(plan)) options.debuggers = calls->debuggers;
  options.traps = traps;
  options.observe = out.observe;
  out.asks = growth == Growth::kLive && observe != nullptr && observe->asks && out.observe != ObserveMode::kOff;
  options.asks = out.asks;
  options.mark = out.frame.mark = random_mark();
  out.traps = traps != Traps::kOff || out.observe != ObserveMode::kOff;
  out.filter = build_filter(options);
}

Result<void> make_kept_directory(const std::string& path, const std::vector<std::string>& subdirectories) {
  // The last directory to be made exists: so do all others.
  std::string last = subdirectories.empty() ? path : path + "/" + subdirectories.back();
  if (::access(last.c_str(), F_OK) == 0) return {};
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST)
      return tl::unexpected<Error>(sys::os_error("mkdir", part, errno));
    if (slash == std::string::npos) break;
  }
  for (const std::string& name : subdirectories) ::mkdir((path + "/" + name).c_str(), 0700);
  return {};
}

Result<std::unique_ptr<LoweredPlan>> lower(const Plan& plan, const LandlockSupport& landlock,
                                           SharedMemory shared_memory, Growth growth) {
  return Lowering(plan, landlock, shared_memory, growth).run();
}

}  // namespace pinfold::backend::on_linux
