// live_mounts.cc: computes the mounts that a widened plan adds, and runs the process that makes them.
#include "backend/linux/grants/live_mounts.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "backend/linux/child/kernel.h"
#include "backend/linux/init/failure.h"
#include "backend/linux/init/short_process.h"
#include "base/paths.h"
#include "base/try.h"
#include "plan/plan_view.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

using child::MountSpec;
using child::Op;
using child::OpKind;

constexpr std::uint64_t kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

std::string target_path(const Op& op) { return std::string(op.target) == "." ? "/" : "/" + std::string(op.target); }

Error needs_restart(const std::string& path, const std::string& why) {
  return {ErrorKind::kUnavailable, path + " cannot be granted while the command runs: " + why,
          "start the command again"};
}

// The mounts for the child process, and the strings that they point to.
struct Mounts {
  std::vector<MountSpec> list;
  std::deque<std::string> text;
  const char* keep(std::string one) { return text.emplace_back(std::move(one)).c_str(); }
};

Result<FileIdentity> identity_of(const std::string& path) {
  const auto fd = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, path.c_str(), O_PATH | O_NOFOLLOW, 0));
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.raw(), &info) != 0)
    return tl::unexpected<Error>(sys::os_error("open", path.c_str(), errno));
  return FileIdentity{info.st_dev, info.st_ino};
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// The deepest bind operation that shows the path, or null.
const Op* deepest_bind(const std::vector<Op>& ops, const std::string& path) {
  const Op* best = nullptr;
  for (const Op& op : ops) {
    if (op.kind != OpKind::kBind && op.kind != OpKind::kBindRoot) continue;
    if (paths::at_or_beneath(path, target_path(op)) &&
        (best == nullptr || target_path(op).size() >= target_path(*best).size()))
      best = &op;
  }
  return best;
}

std::string below(const std::string& directory, std::string_view relative) {
  return relative.empty() ? directory : paths::normal(directory + "/" + std::string(relative));
}

Result<Mounts> mounts_for(const std::string& path, const std::vector<Op>& ops) {
  const Op* base = deepest_bind(ops, path);
  if (base == nullptr) return tl::unexpected<Error>(needs_restart(path, "the widened policy does not show it"));
  const std::string source = below(base->source, paths::relative(path, target_path(*base)));
  PF_TRY(identity, identity_of(source));
  Mounts out;
  out.list.push_back(
      {out.keep(source), out.keep(path), is_directory(source), identity.device, identity.inode, base->attributes});
  for (const Op& op : ops) {
    const std::string place = target_path(op);
    if (place == path || !paths::at_or_beneath(place, path)) continue;
    if (op.kind == OpKind::kRule || op.kind == OpKind::kMakeDirectory) continue;
    const bool mask = op.kind == OpKind::kMaskDirectory || op.kind == OpKind::kMaskFile;
    if (!mask && op.kind != OpKind::kBind)
      return tl::unexpected<Error>(needs_restart(path, place + " below it is made by the sandbox"));
    const std::string staged = below(source, paths::relative(place, path));
    // A placeholder, which is made before the start.
    if (op.kind == OpKind::kBind && !identity_of(op.source))
      return tl::unexpected<Error>(needs_restart(path, place + " is protected and does not exist yet"));
    if (op.kind == OpKind::kBind && staged != op.source)
      return tl::unexpected<Error>(needs_restart(path, place + " below it comes from another path"));
    out.list.push_back({mask ? nullptr : out.keep(op.source), out.keep(staged),
                        mask ? op.kind == OpKind::kMaskDirectory : op.directory, 0, 0, op.attributes});
  }
  return out;
}

// If so, a directory made by the sandbox hides this one, and not a mask.
bool shows_something_below(const Plan& plan, std::string_view directory) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* shown = std::get_if<ShowPath>(&step.body);
    const auto* made = std::get_if<MakeDirectory>(&step.body);
    return (shown != nullptr && paths::beneath(shown->at, directory)) ||
           (made != nullptr && paths::beneath(made->at, directory));
  });
}

// A directory that no rule shows lies in the sandbox's root, in the private tmp, or in a directory that was made for
// the sandbox, which has a file system of its own where it lies below the private tmp: a home below /tmp.
std::string own_filesystem_above(const plan::PlanView& view, std::string_view path) {
  for (std::string_view above = paths::parent(path); above.size() > 1; above = paths::parent(above)) {
    const plan::PathLookup lookup = view.look_up(above);
    const bool made = lookup.step != nullptr && std::holds_alternative<MakeDirectory>(lookup.step->body);
    if (made || lookup.state == plan::PathState::kPrivate) return std::string(lookup.at);
    if (lookup.state != plan::PathState::kHidden) break;
  }
  return "/";
}

// The mounts that must exist inside before the directory's own mount may become writable. nullopt: the wider plan
// differs in more than that flag, so changing the flag is not enough.
std::optional<Mounts> missing_below(const std::string& path, const std::vector<Op>& before,
                                    const std::vector<Op>& wider) {
  const auto counts = [&](const Op& op) {
    return op.kind != OpKind::kRule && op.kind != OpKind::kMakeDirectory && paths::beneath(target_path(op), path);
  };
  const auto same = [](const Op& a, const Op& b) {
    return a.kind == b.kind && target_path(a) == target_path(b) && a.attributes == b.attributes &&
           (a.kind != OpKind::kBind || std::string_view(a.source) == b.source);
  };
  const auto has = [&](const std::vector<Op>& ops, const Op& wanted) {
    return std::any_of(ops.begin(), ops.end(), [&](const Op& each) { return counts(each) && same(each, wanted); });
  };
  for (const Op& op : before)
    if (counts(op) && !has(wider, op)) return std::nullopt;
  Mounts out;
  for (const Op& op : wider) {
    if (!counts(op) || has(before, op)) continue;
    const bool mask = op.kind == OpKind::kMaskDirectory || op.kind == OpKind::kMaskFile;
    if (!mask && op.kind != OpKind::kBind) return std::nullopt;
    out.list.push_back({mask ? nullptr : out.keep(op.source), out.keep(target_path(op)),
                        mask ? op.kind == OpKind::kMaskDirectory : op.directory, 0, 0, op.attributes});
  }
  return out;
}

// With the octal escapes of /proc/self/mountinfo.
std::string escaped(const std::string& path) {
  std::string out;
  for (const char each : path) {
    if (each == ' ' || each == '\t' || each == '\n' || each == '\\') {
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((each >> shift) & 7));
    } else {
      out += each;
    }
  }
  return out;
}

// The recursive bind of the directory copied the host's mounts below it, each as a mount of its own.
bool has_mounts_below(const std::string& directory) {
  std::ifstream mounts("/proc/self/mountinfo");
  const std::string start = escaped(directory) + "/";
  std::string line;
  bool any = false;
  while (std::getline(mounts, line)) {
    std::istringstream fields(line);
    std::string skipped, at;
    fields >> skipped >> skipped >> skipped >> skipped >> at;
    any = any || at.starts_with(start);
  }
  return any || !mounts.eof();
}

Error explain(const child::Failure& failure, const std::string& path) {
  if (failure.stage == child::Stage::kCheck && failure.error == ESTALE)
    return {ErrorKind::kRefused, path + " changed after you were asked", "try again"};
  if (failure.stage == child::Stage::kSetAttributes && failure.error == EBUSY)
    return {ErrorKind::kRefused, path + " stays writable: a process in the sandbox has a file open for writing there",
            "revoke it again when that file is closed, or end the command"};
  LoweredPlan nothing;
  return explain(failure, nothing, {}).within("granting " + path);
}

}  // namespace

Result<const SandboxNamespaces*> LiveMounts::namespaces() {
  if (!cached_namespaces_.user.is_open()) {
    PF_TRY(taken, namespaces_());
    cached_namespaces_ = std::move(taken);
    // bubblewrap may enter a second user namespace after it has mounted; only the first one, which owns the mount
    // namespace, may change mounts.
    auto owner = sys::Fd::adopt(::ioctl(cached_namespaces_.mounts.raw(), NS_GET_USERNS));
    if (owner.is_open()) cached_namespaces_.user = std::move(owner);
  }
  return &cached_namespaces_;
}

Result<void> LiveMounts::show(const Grant& grant, const LoweredPlan& wider, const Plan& before) {
  const std::string& path = grant.resource;
  PF_TRY(made_writable, make_writable(grant, wider));
  if (made_writable) return {};
  PF_TRY(mounts, mounts_for(path, wider.ops));
  PF_TRY(into, namespaces());
  const plan::PlanView view(before);
  const plan::PathLookup lookup = view.look_up(path);
  child::LiveMountRequest request{};
  request.user = into->user.raw();
  request.mounts = into->mounts.raw();
  request.list = mounts.list.data();
  request.count = mounts.list.size();
  // The tmpfs in which missing directories may be made: the private /tmp, a replaced mask, or the sandbox's root.
  const bool in_private = lookup.state == plan::PathState::kPrivate;
  const bool in_hidden = lookup.state == plan::PathState::kHidden && lookup.step != nullptr && lookup.at != path;
  const bool in_mask =
      in_hidden && !shows_something_below(before, lookup.at) && !own_directories_.contains(std::string(lookup.at));
  const char* at = mounts.keep(std::string(lookup.at));
  request.sandbox_tmpfs = in_private || in_hidden ? at : mounts.keep(own_filesystem_above(view, path));
  request.mask_to_replace = in_mask ? at : nullptr;
  PF_TRY(done, run_in_process([&](int reply) { child::mount_live(request, reply); }));
  if (done.result.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.result.failure, path));
  if (in_mask) own_directories_.insert(at);
  granted_mounts_[path] = {done.result.mount, done.result.made ? request.sandbox_tmpfs : "", mounts.list[0].directory,
                           0};
  return {};
}

// The mount stays the same, so processes whose working directory lies on it see the change at once.
Result<bool> LiveMounts::make_writable(const Grant& grant, const LoweredPlan& wider) {
  const std::string& path = grant.resource;
  if (grant.kind != Grant::Kind::kWrite) return false;
  const bool holds_others = std::any_of(granted_mounts_.begin(), granted_mounts_.end(),
                                        [&](const auto& each) { return paths::beneath(each.first, path); });
  PF_TRY(view, current_view_());
  const Op* before = deepest_bind(view->ops, path);
  const Op* after = deepest_bind(wider.ops, path);
  if (holds_others || before == nullptr || after == nullptr || before->kind != OpKind::kBind ||
      after->kind != OpKind::kBind || target_path(*before) != path || target_path(*after) != path ||
      !before->directory || std::string_view(before->source) != after->source ||
      (before->attributes & ~std::uint64_t{MOUNT_ATTR_RDONLY}) != after->attributes ||
      before->attributes == after->attributes || has_mounts_below(before->source))
    return false;
  auto added = missing_below(path, view->ops, wider.ops);
  if (!added) return false;
  PF_TRY(identity, identity_of(before->source));
  PF_TRY(into, namespaces());
  const child::MakeWritableRequest request{into->user.raw(), into->mounts.raw(), path.c_str(),      identity.device,
                                           identity.inode,   added->list.data(), added->list.size()};
  PF_TRY(done, run_in_process([&](int reply) { child::make_writable(request, reply); }));
  if (done.result.failure.stage != child::Stage::kNone) return false;  // a mount over it may still be possible
  granted_mounts_[path].made_writable = done.result.mount;
  return true;
}

Result<void> LiveMounts::make_read_only(const std::string& path, std::uint64_t mount) {
  PF_TRY(into, namespaces());
  const child::MakeReadOnlyRequest request{into->user.raw(), into->mounts.raw(), path.c_str(), mount};
  PF_TRY(done, run_in_process([&](int reply) { child::make_read_only(request, reply); }));
  if (done.result.failure.stage == child::Stage::kNone) return {};
  return tl::unexpected<Error>(explain(done.result.failure, path));
}

bool LiveMounts::is_granted(std::string_view path) const {
  return std::any_of(granted_mounts_.begin(), granted_mounts_.end(),
                     [&](const auto& each) { return paths::at_or_beneath(path, each.first); });
}

Result<void> LiveMounts::unmount(const std::string& path, const char* unmake_in) {
  PF_TRY(into, namespaces());
  const GrantedMount& mounted = granted_mounts_.at(path);
  const child::UnmountRequest request{into->user.raw(), into->mounts.raw(), path.c_str(),
                                      mounted.mount_id, unmake_in,          mounted.directory};
  PF_TRY(done, run_in_process([&](int reply) { child::unmount_live(request, reply); }));
  if (done.result.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.result.failure, path));
  return {};
}

Result<LiveMounts::HideResult> LiveMounts::hide(const Grant& grant) {
  const auto known = granted_mounts_.find(grant.resource);
  if (known == granted_mounts_.end())
    return fail(ErrorKind::kNotFound, grant.resource + " is not granted in this sandbox");
  if (known->second.made_writable != 0) {
    if (grant.kind != Grant::Kind::kWrite)
      return fail(ErrorKind::kRefused, grant.resource + " is granted for writing, too", "revoke the write grant first");
    PF_CHECK(make_read_only(known->first, known->second.made_writable));
    known->second.made_writable = 0;
    if (known->second.mount_id == 0) granted_mounts_.erase(known);  // else it was granted for reading before
    return HideResult::kPrevious;
  }
  const HideResult result = known->second.mount_id == 0 ? HideResult::kReplaced : HideResult::kPrevious;
  const std::string& made_in = known->second.made_in;
  if (result == HideResult::kPrevious) PF_CHECK(unmount(known->first, made_in.empty() ? nullptr : made_in.c_str()));
  granted_mounts_.erase(known);
  return result;
}

Result<void> LiveMounts::restore_mount(const std::string& path) {
  PF_TRY(view, current_view_());
  const auto is_mask = [](const Op& op) { return op.kind == OpKind::kMaskFile || op.kind == OpKind::kMaskDirectory; };
  const auto op = std::find_if(view->ops.begin(), view->ops.end(), [&](const Op& each) {
    return (each.kind == OpKind::kBind || is_mask(each)) && target_path(each) == path;
  });
  const auto known = granted_mounts_.find(path);
  if (known != granted_mounts_.end() && known->second.mount_id != 0) {
    static_cast<void>(unmount(path, nullptr));  // an error: the kernel has done it
    known->second.mount_id = 0;
  }
  if (op == view->ops.end() || !identity_of(path)) return {};
  // A path in a shown directory needs its own mount only to have less access than the directory.
  const bool limited = is_mask(*op) || (op->attributes & MOUNT_ATTR_RDONLY) != 0;
  if (!limited && deepest_bind(view->ops, std::string(paths::parent(path))) != nullptr) return {};
  Mounts mounts;
  if (is_mask(*op)) {
    mounts.list.push_back({nullptr, mounts.keep(path), is_directory(path), 0, 0, 0});
  } else {
    PF_TRY(shown, mounts_for(path, view->ops));
    mounts = std::move(shown);
  }
  PF_TRY(into, namespaces());
  const child::LiveMountRequest request{
      into->user.raw(), into->mounts.raw(), mounts.list.data(), mounts.list.size(), "/", nullptr};
  PF_TRY(done, run_in_process([&](int reply) { child::mount_live(request, reply); }));
  if (done.result.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.result.failure, path));
  if (known != granted_mounts_.end()) known->second.mount_id = done.result.mount;
  return {};
}

Result<void> LiveMounts::freeze(const std::string& path) {
  PF_TRY(identity, identity_of(path));
  const child::MountSpec spec{path.c_str(),    path.c_str(),   is_directory(path),
                              identity.device, identity.inode, kQuiet | MOUNT_ATTR_RDONLY};
  PF_TRY(into, namespaces());
  const child::LiveMountRequest request{into->user.raw(), into->mounts.raw(), &spec, 1, "/", nullptr};
  PF_TRY(done, run_in_process([&](int reply) { child::mount_live(request, reply); }));
  if (done.result.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.result.failure, path));
  return {};
}

Result<sys::Fd> LiveMounts::open_copy(const std::string& path, FileIdentity identity, int flags, Access access) {
  PF_TRY(into, namespaces());
  child::OpenFileRequest request{};
  request.user = into->user.raw();
  request.file.source = path.c_str();
  request.file.device = identity.device;
  request.file.inode = identity.inode;
  request.file.attributes = kQuiet | (access == Access::kRead ? std::uint64_t{MOUNT_ATTR_RDONLY} : 0);
  request.flags = flags;
  request.size = -1;
  return request_descriptor(request, path);
}

Result<sys::Fd> LiveMounts::create(const std::string& path, FileIdentity directory, int flags, std::uint32_t mode,
                                   std::uint32_t umask) {
  PF_TRY(into, namespaces());
  const std::string parent(paths::parent(path));
  const std::string name(paths::basename(path));
  child::OpenFileRequest request{};
  request.user = into->user.raw();
  request.file = {parent.c_str(), nullptr, true, directory.device, directory.inode, kQuiet};
  request.name = name.c_str();
  request.flags = flags;
  request.mode = mode;
  request.umask = umask;
  request.size = -1;
  return request_descriptor(request, path);
}

Result<sys::Fd> LiveMounts::make_unnamed(const std::string& directory, FileIdentity identity, int flags,
                                         std::uint32_t mode, std::uint32_t umask) {
  PF_TRY(into, namespaces());
  child::OpenFileRequest request{};
  request.user = into->user.raw();
  request.file = {directory.c_str(), nullptr, true, identity.device, identity.inode, kQuiet};
  request.flags = flags;
  request.mode = mode;
  request.umask = umask;
  request.size = -1;
  return request_descriptor(request, directory);
}

Result<sys::Fd> LiveMounts::request_descriptor(const child::OpenFileRequest& request, const std::string& path) {
  PF_TRY(done, run_in_process([&](int reply) { child::open_file(request, reply); }));
  if (done.result.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.result.failure, path));
  if (!done.fd.is_open()) return fail(ErrorKind::kSystem, path + ": the helper process returned no descriptor");
  return std::move(done.fd);
}

Result<int> LiveMounts::truncate(const std::string& path, FileIdentity identity, std::int64_t size) {
  PF_TRY(into, namespaces());
  child::OpenFileRequest request{};
  request.user = into->user.raw();
  request.file = {path.c_str(), nullptr, false, identity.device, identity.inode, kQuiet};
  request.flags = O_WRONLY;
  request.size = size;
  PF_TRY(done, run_in_process([&](int reply) { child::open_file(request, reply); }));
  const child::Failure& failure = done.result.failure;
  if (failure.stage == child::Stage::kOpenSource) return failure.error;
  if (failure.stage != child::Stage::kNone) return tl::unexpected<Error>(explain(failure, path));
  return done.result.error;
}

Result<int> change_name(const child::NameChange& change, const std::string& path) {
  PF_TRY(done, run_in_process([&](int reply) { child::change_name(change, reply); }));
  if (done.result.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.result.failure, path));
  return done.result.error;
}

}  // namespace pinfold::backend::on_linux
