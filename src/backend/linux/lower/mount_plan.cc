// mount_plan.cc: orders entries into a list of mount operations.
// Invariant: shallow before deep; at one path: made, shown, pinned, frozen, hidden, in that order.
// Not here: system calls.
#include "backend/linux/lower/mount_plan.h"

#include <linux/mount.h>

#include <algorithm>
#include <utility>

namespace pinfold::backend::on_linux {
namespace {

using child::Op;
using child::OpKind;
using child::TargetLocation;

std::size_t depth(std::string_view path) {
  return path == "/" ? 0 : static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

std::string_view parent_of(std::string_view path) {
  auto slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? std::string_view("/") : path.substr(0, slash);
}

}  // namespace

void MountPlanBuilder::show(const std::string& host, const std::string& at, EntryKind kind, std::uint64_t attributes,
                            std::uint64_t landlock) {
  entries_.push_back({at, Kind::kShow, kind, host, {}, attributes, landlock});
}
void MountPlanBuilder::device(const std::string& at, std::uint64_t landlock) {
  entries_.push_back({at, Kind::kDevice, EntryKind::kFile, at, {}, child::kDeviceAttributes, landlock});
}
void MountPlanBuilder::hide(const std::string& at, EntryKind kind) {
  entries_.push_back({at, Kind::kHide, kind, {}, {}, 0, 0});
}
void MountPlanBuilder::own(const std::string& at) {
  entries_.push_back({at, Kind::kOwn, EntryKind::kDirectory, {}, {}, 0, 0});
}
void MountPlanBuilder::pin(const std::string& at) {
  if (!pinned_.insert(at).second) return;
  entries_.push_back({at, Kind::kPin, EntryKind::kDirectory, {}, {}, 0, 0});
}
void MountPlanBuilder::freeze(const std::string& at, EntryKind kind) {
  entries_.push_back({at, Kind::kFreeze, kind, {}, {}, 0, 0});
}
void MountPlanBuilder::make_directory(const std::string& at) {
  entries_.push_back({at, Kind::kMakeDirectory, EntryKind::kDirectory, {}, {}, 0, 0});
}
void MountPlanBuilder::make_link(const std::string& at, const std::string& target) {
  entries_.push_back({at, Kind::kMakeLink, EntryKind::kFile, {}, target, 0, 0});
}
void MountPlanBuilder::make_file(const std::string& at, const std::string& content) {
  entries_.push_back({at, Kind::kMakeFile, EntryKind::kFile, {}, content, 0, 0});
}
void MountPlanBuilder::tmp(const std::string& at, const std::string& size, std::uint64_t attributes,
                           std::uint64_t landlock) {
  entries_.push_back({at, Kind::kTmp, EntryKind::kDirectory, {}, size, attributes, landlock});
}
void MountPlanBuilder::proc(const std::string& at, std::uint64_t landlock) {
  entries_.push_back({at, Kind::kProc, EntryKind::kDirectory, {}, {}, 0, landlock});
}
void MountPlanBuilder::terminals(const std::string& at, std::uint64_t landlock) {
  entries_.push_back({at, Kind::kTerminals, EntryKind::kDirectory, {}, {}, 0, landlock});
}

const char* MountPlanBuilder::keep(std::string text) { return text_.emplace_back(std::move(text)).c_str(); }

MountPlanBuilder::BackingMount MountPlanBuilder::backing_mount(std::string_view path) const {
  for (std::string_view at = path;; at = parent_of(at)) {
    auto found = mounts_.find(std::string(at));
    if (found != mounts_.end()) return found->second;
    if (at == "/") return BackingMount{};
  }
}

// Makes the missing directories above and including `path` in the skeleton or in an own directory.
void MountPlanBuilder::ensure_directories(const std::string& path, std::vector<Op>& ops) {
  if (path == "/" || mounts_.contains(path) || made_.contains(path)) return;
  std::string parent(parent_of(path));
  if (backing_mount(path).shown) return;  // exists on the host, or mounting it will fail
  ensure_directories(parent, ops);
  made_.insert(path);
  Op op{};
  op.kind = OpKind::kMakeDirectory;
  op.location = sealed_.empty() ? TargetLocation::kSkeleton : TargetLocation::kShown;
  op.target = keep(path.substr(1));
  ops.push_back(op);
}

void MountPlanBuilder::add_op(Entry& entry, std::vector<Op>& ops) {
  BackingMount below = backing_mount(entry.at);
  bool is_mount_here = mounts_.contains(entry.at);
  Op op{};
  op.target = keep(entry.at == "/" ? std::string(".") : entry.at.substr(1));
  op.location = below.shown || !sealed_.empty() ? TargetLocation::kShown : TargetLocation::kSkeleton;
  op.directory = entry.entry == EntryKind::kDirectory;
  op.attributes = entry.attributes;
  op.landlock = entry.landlock;
  auto mount_point = [&] {
    if (below.shown || is_mount_here) return;
    if (op.directory) {
      ensure_directories(entry.at, ops);
    } else {
      ensure_directories(std::string(parent_of(entry.at)), ops);
      if (!made_.insert(entry.at).second) return;
      Op file = op;
      file.kind = OpKind::kMakeFile;
      ops.push_back(file);
    }
  };
  switch (entry.kind) {
    case Kind::kMakeDirectory:
      if (below.shown) return;
      ensure_directories(entry.at, ops);
      // A private tmp is writable; directories made by the plan in it stay read-only.
      if (below.entry == nullptr || below.entry->kind != Kind::kTmp) return;
      op.kind = OpKind::kOwnDirectory;
      mounts_[entry.at] = BackingMount{false, &entry};
      sealed_.push_back(entry.at);
      break;
    case Kind::kMakeLink:
    case Kind::kMakeFile:
      if (made_.contains(entry.at)) return;
      op.text = keep(entry.text);
      op.length = entry.text.size();
      if ((below.shown || (below.entry != nullptr && below.entry->kind == Kind::kProc)) &&
          entry.kind == Kind::kMakeFile) {
        op.kind = OpKind::kCoverFile;
        op.location = TargetLocation::kShown;
        break;
      }
      if (below.shown) return;
      ensure_directories(std::string(parent_of(entry.at)), ops);
      made_.insert(entry.at);
      op.kind = entry.kind == Kind::kMakeLink ? OpKind::kMakeLink : OpKind::kMakeFile;
      ops.push_back(op);
      return;
    case Kind::kShow:
    case Kind::kDevice:
      op.source = keep(entry.host);
      op.kind = entry.at == "/" ? OpKind::kBindRoot : entry.kind == Kind::kDevice ? OpKind::kDevice : OpKind::kBind;
      root_is_shown_ = root_is_shown_ || entry.at == "/";
      if (entry.at != "/") mount_point();
      mounts_[entry.at] = BackingMount{true, &entry};
      break;
    case Kind::kOwn:
      if (!below.shown) {  // the skeleton itself is enough
        ensure_directories(entry.at, ops);
        return;
      }
      op.kind = OpKind::kOwnDirectory;
      mounts_[entry.at] = BackingMount{false, &entry};
      sealed_.push_back(entry.at);
      break;
    case Kind::kTmp:
    case Kind::kProc:
    case Kind::kTerminals:
      mount_point();
      op.kind = entry.kind == Kind::kTmp    ? OpKind::kTmp
                : entry.kind == Kind::kProc ? OpKind::kProc
                                            : OpKind::kTerminals;
      op.text = keep(entry.text);
      op.length = entry.text.size();
      // Its contents are not the host's, but no entries can be made in it either.
      mounts_[entry.at] = BackingMount{false, &entry};
      break;
    case Kind::kPin:
    case Kind::kFreeze:
      // Bound from the host again with its current attributes: only below a directory shown from the same path.
      if (!below.shown || below.entry == nullptr || masked_.contains(entry.at)) return;
      if (entry.kind == Kind::kPin && is_mount_here) return;
      // Below a frozen directory nothing can be renamed, and a new bind would be writable again.
      if ((below.entry->attributes & MOUNT_ATTR_RDONLY) != 0) return;
      op.kind = OpKind::kBind;
      op.source = keep(below.entry->host + entry.at.substr(below.entry->at == "/" ? 0 : below.entry->at.size()));
      op.attributes = below.entry->attributes | (entry.kind == Kind::kFreeze ? std::uint64_t{MOUNT_ATTR_RDONLY} : 0);
      op.landlock = 0;  // the rule above it covers it
      if (entry.kind == Kind::kPin) break;
      entry.host = op.source;
      entry.attributes = op.attributes;
      mounts_[entry.at] = BackingMount{true, &entry};
      break;
    case Kind::kHide:
      if (!below.shown || !masked_.insert(entry.at).second) return;  // not visible in the first place
      op.kind = op.directory ? OpKind::kMaskDirectory : OpKind::kMaskFile;
      break;
  }
  ops.push_back(op);
}

std::vector<Op> MountPlanBuilder::build() && {
  for (Entry& each : entries_) each.depth = depth(each.at);
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    if (a.depth != b.depth) return a.depth < b.depth;
    if (int order = a.at.compare(b.at); order != 0) return order < 0;
    return a.kind < b.kind;
  });
  // A hidden directory in which an entry is shown or made becomes a tmpfs of the sandbox's own.
  std::unordered_set<std::string> parents;
  for (const Entry& each : entries_) {
    if (each.kind == Kind::kHide || each.kind == Kind::kPin || each.kind == Kind::kFreeze) continue;
    for (std::string_view at = parent_of(each.at); at != "/" && parents.insert(std::string(at)).second;)
      at = parent_of(at);
  }
  for (Entry& each : entries_)
    if (each.kind == Kind::kHide && each.entry == EntryKind::kDirectory && parents.contains(each.at))
      each.kind = Kind::kOwn;
  std::vector<Op> ops;
  ops.reserve(entries_.size() * 2);
  for (Entry& each : entries_) {
    // Below a plain mask nothing is visible.
    bool below_mask = false;
    if (!masked_.empty())
      for (std::string_view at = each.at; at != "/" && !below_mask; at = parent_of(at))
        below_mask = at != each.at && masked_.contains(std::string(at));
    if (!below_mask) add_op(each, ops);
  }
  for (const std::string& at : sealed_) {
    Op op{};
    op.kind = OpKind::kSealDirectory;
    op.location = TargetLocation::kShown;
    op.target = keep(at.substr(1));
    ops.push_back(op);
  }
  return ops;
}

}  // namespace pinfold::backend::on_linux
