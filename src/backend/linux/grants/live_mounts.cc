// live_mounts.cc: from the operations of a wider view to the one mount that is new, and the process that makes it.
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

using child::Mounting;
using child::Op;
using child::OpKind;

constexpr std::uint64_t kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

std::string place_of(const Op& op) { return std::string(op.target) == "." ? "/" : "/" + std::string(op.target); }

Error not_while_it_runs(const std::string& path, const std::string& why) {
  return {ErrorKind::kUnavailable, path + " cannot be shown while the command runs: " + why, "start it again"};
}

// What the child needs, with everything that it points into.
struct Mounts {
  std::vector<Mounting> list;
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

// The deepest that shows the path, or null.
const Op* shown_by(const std::vector<Op>& ops, const std::string& path) {
  const Op* best = nullptr;
  for (const Op& op : ops) {
    if (op.kind != OpKind::kBind && op.kind != OpKind::kBindRoot) continue;
    if (paths::at_or_beneath(path, place_of(op)) && (best == nullptr || place_of(op).size() >= place_of(*best).size()))
      best = &op;
  }
  return best;
}

std::string below(const std::string& directory, std::string_view relative) {
  return relative.empty() ? directory : paths::normal(directory + "/" + std::string(relative));
}

Result<Mounts> mounts_for(const std::string& path, const std::vector<Op>& ops) {
  const Op* base = shown_by(ops, path);
  if (base == nullptr) return tl::unexpected<Error>(not_while_it_runs(path, "the policy with it does not show it"));
  const std::string source = below(base->source, paths::relative(path, place_of(*base)));
  PF_TRY(identity, identity_of(source), "");
  Mounts out;
  out.list.push_back(
      {out.keep(source), out.keep(path), is_directory(source), identity.device, identity.inode, base->attributes});
  for (const Op& op : ops) {
    const std::string place = place_of(op);
    if (place == path || !paths::at_or_beneath(place, path)) continue;
    if (op.kind == OpKind::kRule || op.kind == OpKind::kMakeDirectory) continue;
    const bool mask = op.kind == OpKind::kMaskDirectory || op.kind == OpKind::kMaskFile;
    if (!mask && op.kind != OpKind::kBind)
      return tl::unexpected<Error>(not_while_it_runs(path, place + " in it is made up"));
    const std::string staged = below(source, paths::relative(place, path));
    if (op.kind == OpKind::kBind && staged != op.source)
      return tl::unexpected<Error>(not_while_it_runs(path, place + " in it comes from elsewhere"));
    out.list.push_back({mask ? nullptr : out.keep(op.source), out.keep(staged),
                        mask ? op.kind == OpKind::kMaskDirectory : op.directory, 0, 0, op.attributes});
  }
  return out;
}

// Then what hides the directory is one of the sandbox's own.
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
std::string own_system_above(const plan::PlanView& view, std::string_view path) {
  for (std::string_view above = paths::parent(path); above.size() > 1; above = paths::parent(above)) {
    const plan::PathFate fate = view.fate(above);
    const bool made = fate.step != nullptr && std::holds_alternative<MakeDirectory>(fate.step->body);
    if (made || fate.fate == plan::Fate::kPrivate) return std::string(fate.at);
    if (fate.fate != plan::Fate::kHidden) break;
  }
  return "/";
}

// The mounts that must exist inside before the directory's own mount may become writable. nullopt: the wider plan
// differs in more than that flag, so changing the flag is not enough.
std::optional<Mounts> missing_below(const std::string& path, const std::vector<Op>& before,
                                    const std::vector<Op>& wider) {
  const auto counts = [&](const Op& op) {
    return op.kind != OpKind::kRule && op.kind != OpKind::kMakeDirectory && paths::beneath(place_of(op), path);
  };
  const auto same = [](const Op& a, const Op& b) {
    return a.kind == b.kind && place_of(a) == place_of(b) && a.attributes == b.attributes &&
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
    out.list.push_back({mask ? nullptr : out.keep(op.source), out.keep(place_of(op)),
                        mask ? op.kind == OpKind::kMaskDirectory : op.directory, 0, 0, op.attributes});
  }
  return out;
}

// As /proc/self/mountinfo writes it.
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

// They came along when the directory was bound, each a mount of its own.
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
    return {ErrorKind::kRefused, path + " is not any more what it was when it was asked about", "try again"};
  if (failure.stage == child::Stage::kSetAttributes && failure.error == EBUSY)
    return {ErrorKind::kRefused, path + " stays writable: a process in the sandbox has a file open for writing there",
            "revoke it again when that file is closed, or end the command"};
  Lowered nothing;
  return explain(failure, nothing, {}).within("granting " + path);
}

}  // namespace

Result<const SandboxNamespaces*> Widener::namespaces() {
  if (!taken_.user.is_open()) {
    PF_TRY(taken, namespaces_(), "");
    taken_ = std::move(taken);
    // bubblewrap may enter a second user namespace after it has mounted: mounts are the first one's to change.
    auto owner = sys::Fd::adopt(::ioctl(taken_.mounts.raw(), NS_GET_USERNS));
    if (owner.is_open()) taken_.user = std::move(owner);
  }
  return &taken_;
}

Result<void> Widener::show(const Grant& grant, const Lowered& wider, const Plan& before) {
  const std::string& path = grant.resource;
  PF_TRY(opened, open_up(grant, wider), "");
  if (opened) return {};
  PF_TRY(mounts, mounts_for(path, wider.ops), "");
  PF_TRY(into, namespaces(), "");
  const plan::PlanView view(before);
  const plan::PathFate fate = view.fate(path);
  child::Widening widening{};
  widening.user = into->user.raw();
  widening.mounts = into->mounts.raw();
  widening.list = mounts.list.data();
  widening.count = mounts.list.size();
  // Where the names on the way may be made: in the private tmp, in place of a mask, or in the sandbox's own root.
  const bool in_private = fate.fate == plan::Fate::kPrivate;
  const bool in_hidden = fate.fate == plan::Fate::kHidden && fate.step != nullptr && fate.at != path;
  const bool in_mask = in_hidden && !shows_something_below(before, fate.at) && !own_.contains(std::string(fate.at));
  const char* at = mounts.keep(std::string(fate.at));
  widening.ground = in_private || in_hidden ? at : mounts.keep(own_system_above(view, path));
  widening.own = in_mask ? at : nullptr;
  PF_TRY(done, by_a_process([&](int reply) { child::widen(widening, reply); }), "");
  if (done.widened.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.widened.failure, path));
  if (in_mask) own_.insert(at);
  mounted_[path] = {done.widened.mount, done.widened.made ? widening.ground : "", mounts.list[0].directory, 0};
  return {};
}

// Processes whose working directory this is see the change at once: it is still the same mount.
Result<bool> Widener::open_up(const Grant& grant, const Lowered& wider) {
  const std::string& path = grant.resource;
  if (grant.kind != Grant::Kind::kWrite) return false;
  const bool holds_others =
      std::any_of(mounted_.begin(), mounted_.end(), [&](const auto& each) { return paths::beneath(each.first, path); });
  PF_TRY(view, view_(), "");
  const Op* before = shown_by(view->ops, path);
  const Op* after = shown_by(wider.ops, path);
  if (holds_others || before == nullptr || after == nullptr || before->kind != OpKind::kBind ||
      after->kind != OpKind::kBind || place_of(*before) != path || place_of(*after) != path || !before->directory ||
      std::string_view(before->source) != after->source ||
      (before->attributes & ~std::uint64_t{MOUNT_ATTR_RDONLY}) != after->attributes ||
      before->attributes == after->attributes || has_mounts_below(before->source))
    return false;
  auto added = missing_below(path, view->ops, wider.ops);
  if (!added) return false;
  PF_TRY(identity, identity_of(before->source), "");
  PF_TRY(into, namespaces(), "");
  const child::Opening opening{into->user.raw(), into->mounts.raw(), path.c_str(),      identity.device,
                               identity.inode,   added->list.data(), added->list.size()};
  PF_TRY(done, by_a_process([&](int reply) { child::open_up(opening, reply); }), "");
  if (done.widened.failure.stage != child::Stage::kNone) return false;  // a mount over it may still be possible
  mounted_[path].opened = done.widened.mount;
  return true;
}

Result<void> Widener::close_up(const std::string& path, std::uint64_t mount) {
  PF_TRY(into, namespaces(), "");
  const child::Closing closing{into->user.raw(), into->mounts.raw(), path.c_str(), mount};
  PF_TRY(done, by_a_process([&](int reply) { child::close_up(closing, reply); }), "");
  if (done.widened.failure.stage == child::Stage::kNone) return {};
  return tl::unexpected<Error>(explain(done.widened.failure, path));
}

bool Widener::shows(std::string_view path) const {
  return std::any_of(mounted_.begin(), mounted_.end(),
                     [&](const auto& each) { return paths::at_or_beneath(path, each.first); });
}

Result<void> Widener::unmount(const std::string& path, const char* unmake_in) {
  PF_TRY(into, namespaces(), "");
  const Mounted& mounted = mounted_.at(path);
  const child::Narrowing narrowing{into->user.raw(), into->mounts.raw(), path.c_str(),
                                   mounted.number,   unmake_in,          mounted.directory};
  PF_TRY(done, by_a_process([&](int reply) { child::narrow(narrowing, reply); }), "");
  if (done.widened.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.widened.failure, path));
  return {};
}

Result<Widener::Left> Widener::hide(const Grant& grant) {
  const auto known = mounted_.find(grant.resource);
  if (known == mounted_.end()) return fail(ErrorKind::kNotFound, grant.resource + " was not granted here");
  if (known->second.opened != 0) {
    if (grant.kind != Grant::Kind::kWrite)
      return fail(ErrorKind::kRefused, grant.resource + " may be written, too", "take that back first");
    PF_CHECK(close_up(known->first, known->second.opened), "");
    known->second.opened = 0;
    if (known->second.number == 0) mounted_.erase(known);  // else it was granted for reading before
    return Left::kAsBefore;
  }
  const Left left = known->second.number == 0 ? Left::kBare : Left::kAsBefore;
  const std::string& made_in = known->second.made_in;
  if (left == Left::kAsBefore) PF_CHECK(unmount(known->first, made_in.empty() ? nullptr : made_in.c_str()), "");
  mounted_.erase(known);
  return left;
}

Result<void> Widener::replaced(const std::string& path) {
  PF_TRY(view, view_(), "");
  const auto is_mask = [](const Op& op) { return op.kind == OpKind::kMaskFile || op.kind == OpKind::kMaskDirectory; };
  const auto op = std::find_if(view->ops.begin(), view->ops.end(), [&](const Op& each) {
    return (each.kind == OpKind::kBind || is_mask(each)) && place_of(each) == path;
  });
  const auto known = mounted_.find(path);
  if (known != mounted_.end() && known->second.number != 0) {
    static_cast<void>(unmount(path, nullptr));  // an error: the kernel has done it
    known->second.number = 0;
  }
  if (op == view->ops.end() || !identity_of(path)) return {};
  // In a directory that is shown, it needs a mount only to be less than that.
  const bool limited = is_mask(*op) || (op->attributes & MOUNT_ATTR_RDONLY) != 0;
  if (!limited && shown_by(view->ops, std::string(paths::parent(path))) != nullptr) return {};
  Mounts mounts;
  if (is_mask(*op)) {
    mounts.list.push_back({nullptr, mounts.keep(path), is_directory(path), 0, 0, 0});
  } else {
    PF_TRY(shown, mounts_for(path, view->ops), "");
    mounts = std::move(shown);
  }
  PF_TRY(into, namespaces(), "");
  const child::Widening widening{into->user.raw(), into->mounts.raw(), mounts.list.data(), mounts.list.size(), "/",
                                 nullptr};
  PF_TRY(done, by_a_process([&](int reply) { child::widen(widening, reply); }), "");
  if (done.widened.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.widened.failure, path));
  if (known != mounted_.end()) known->second.number = done.widened.mount;
  return {};
}

Result<void> Widener::freeze(const std::string& path) {
  PF_TRY(identity, identity_of(path), "");
  const child::Mounting mounting{path.c_str(),    path.c_str(),   is_directory(path),
                                 identity.device, identity.inode, kQuiet | MOUNT_ATTR_RDONLY};
  PF_TRY(into, namespaces(), "");
  const child::Widening widening{into->user.raw(), into->mounts.raw(), &mounting, 1, "/", nullptr};
  PF_TRY(done, by_a_process([&](int reply) { child::widen(widening, reply); }), "");
  if (done.widened.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.widened.failure, path));
  return {};
}

Result<sys::Fd> Widener::open_copy(const std::string& path, FileIdentity identity, int flags, Access access) {
  PF_TRY(into, namespaces(), "");
  child::HandingOver handing{};
  handing.user = into->user.raw();
  handing.file.source = path.c_str();
  handing.file.device = identity.device;
  handing.file.inode = identity.inode;
  handing.file.attributes = kQuiet | (access == Access::kRead ? std::uint64_t{MOUNT_ATTR_RDONLY} : 0);
  handing.flags = flags;
  handing.size = -1;
  return hand_over(handing, path);
}

Result<sys::Fd> Widener::create(const std::string& path, FileIdentity directory, int flags, std::uint32_t mode,
                                std::uint32_t umask) {
  PF_TRY(into, namespaces(), "");
  const std::string parent(paths::parent(path));
  const std::string name(paths::basename(path));
  child::HandingOver handing{};
  handing.user = into->user.raw();
  handing.file = {parent.c_str(), nullptr, true, directory.device, directory.inode, kQuiet};
  handing.name = name.c_str();
  handing.flags = flags;
  handing.mode = mode;
  handing.umask = umask;
  handing.size = -1;
  return hand_over(handing, path);
}

Result<sys::Fd> Widener::hand_over(const child::HandingOver& handing, const std::string& path) {
  PF_TRY(done, by_a_process([&](int reply) { child::hand_over(handing, reply); }), "");
  if (done.widened.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.widened.failure, path));
  if (!done.fd.is_open()) return fail(ErrorKind::kSystem, path + ": no descriptor came");
  return std::move(done.fd);
}

Result<int> Widener::truncate(const std::string& path, FileIdentity identity, std::int64_t size) {
  PF_TRY(into, namespaces(), "");
  child::HandingOver handing{};
  handing.user = into->user.raw();
  handing.file = {path.c_str(), nullptr, false, identity.device, identity.inode, kQuiet};
  handing.flags = O_WRONLY;
  handing.size = size;
  PF_TRY(done, by_a_process([&](int reply) { child::hand_over(handing, reply); }), "");
  const child::Failure& failure = done.widened.failure;
  if (failure.stage == child::Stage::kOpenSource) return failure.error;
  if (failure.stage != child::Stage::kNone) return tl::unexpected<Error>(explain(failure, path));
  return done.widened.error;
}

Result<int> change_name(const child::NameChange& change, const std::string& path) {
  PF_TRY(done, by_a_process([&](int reply) { child::change_name(change, reply); }), "");
  if (done.widened.failure.stage != child::Stage::kNone)
    return tl::unexpected<Error>(explain(done.widened.failure, path));
  return done.widened.error;
}

}  // namespace pinfold::backend::on_linux
