// arguments.cc: turns each mount operation into arguments of bubblewrap.
// Invariant: exhaustive over the kinds of operations. Init verifies the mounts from inside (child/verify_mounts.cc).
#include "backend/linux/bubblewrap/arguments.h"

#include <linux/mount.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "backend/linux/child/bwrap_handoff.h"
#include "base/try.h"

namespace pinfold::backend::on_linux {
namespace {

using child::Op;
using child::OpKind;

constexpr std::size_t kMaxArguments = 9000;  // bubblewrap's own limit
constexpr const char* kDevices = "dev";
constexpr const char* kOwnSize = "4194304";

class ArgumentBuilder {
 public:
  ArgumentBuilder(const LoweredPlan& lowered, Privilege privilege) : lowered_(lowered), privilege_(privilege) {
    // Operations with text come first in the order of descriptors.
    texts_ = static_cast<std::size_t>(std::count_if(lowered.ops.begin(), lowered.ops.end(), has_text));
    for (const Op& op : lowered.ops) targets_.insert(op.target);
    sources_ = static_cast<std::size_t>(
        std::count_if(lowered.ops.begin(), lowered.ops.end(), [&](const Op& op) { return has_mounts_below(op); }));
    tmps_ = std::count_if(lowered.ops.begin(), lowered.ops.end(), [](const Op& op) { return op.kind == OpKind::kTmp; });
  }

  void begin() {
    if (privilege_ == Privilege::kNone) append({"--unshare-user-try"});
    append({"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"});
    if (lowered_.private_network) append({"--unshare-net"});
    // Not --die-with-parent: if it is killed before it releases its child, that child waits forever. Pinfold's init
    // exits by itself when the supervisor has exited, at the latest when it sends its first message.
    append({"--cap-drop", "ALL", "--as-pid-1", "--chdir", "/"});
    // Init needs these to set a route, to open sockets, to mount terminals and to make device entries read-only, and
    // drops them then (child/verify_mounts.cc).
    if (lowered_.blueprint.network_by_name) append({"--cap-add", "CAP_NET_ADMIN", "--cap-add", "CAP_NET_BIND_SERVICE"});
    if (init_mounts_devices()) append({"--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"});
  }

  Result<void> add(const Op& op) {
    if (op.by_descriptor) return {};
    const std::string target = std::string("/") + (op.kind == OpKind::kBindRoot ? "" : op.target);
    switch (op.kind) {
      case OpKind::kMakeDirectory: directory(op, target); return {};
      case OpKind::kMakeLink:
        if (init_mounts_devices() || !is_device_link(target)) append({"--symlink", op.text, target});
        return {};
      case OpKind::kMakeFile:
        // One without text is a mount point, which bubblewrap makes by itself.
        if (has_text(op)) append({"--perms", "0444", "--file", text_descriptor({op.text, op.length}), target});
        return {};
      case OpKind::kCoverFile:
        append({"--perms", "0444", "--ro-bind-data", text_descriptor({op.text, op.length}), target});
        return {};
      case OpKind::kBindRoot:
      case OpKind::kBind: bind(op, target); return {};
      case OpKind::kDevice:  // --dev includes these
        if (init_mounts_devices()) append({"--dev-bind", op.source, target});
        return {};
      case OpKind::kTerminals:
        if (init_mounts_devices()) append({"--dir", target});
        return {};
      case OpKind::kMaskFile: append({"--perms", "0000", "--ro-bind-data", empty_descriptor(), target}); return {};
      case OpKind::kMaskDirectory: append({"--perms", "0000", "--tmpfs", target, "--remount-ro", target}); return {};
      case OpKind::kOwnDirectory: own_directory(op, target); return {};
      case OpKind::kSealDirectory: append({"--remount-ro", target}); return {};
      case OpKind::kProc: append({"--proc", target}); return {};
      case OpKind::kTmp: tmpfs("1777", size_of(op), target); return {};
      case OpKind::kRule: break;  // only for backends without mounts
    }
    return fail(ErrorKind::kSystem, "bubblewrap has no option for an operation at " + target);
  }

  void end() {
    if (devices_in_skeleton_) append({"--remount-ro", "/dev"});
    if (!lowered_.blueprint.root_is_shown) append({"--remount-ro", "/"});
  }

  BubblewrapArguments take() && { return std::move(out_); }

 private:
  // --dev makes bubblewrap enter a second user namespace, which has no rights over the network and the mounts of the
  // first. Neither --dev nor --remount-ro makes a usable read-only device (they add nodev).
  bool init_mounts_devices() const { return child::mounts_devices(lowered_.blueprint); }

  static bool has_text(const Op& op) {
    return (op.kind == OpKind::kMakeFile || op.kind == OpKind::kCoverFile) && op.text != nullptr && !op.by_descriptor;
  }
  static bool is_device_link(std::string_view target) {
    return std::any_of(std::begin(child::kDeviceLinks), std::end(child::kDeviceLinks),
                       [&](const auto& link) { return target == link[0]; });
  }

  void append(std::vector<std::string> arguments) {
    for (std::string& argument : arguments) out_.values.push_back(std::move(argument));
  }

  // True if a later operation mounts in it. bubblewrap makes missing mount points in the directory that a name leads to
  // at that time: on the host, and possibly another one than was pinned.
  bool has_mounts_below(const Op& op) const {
    if (op.kind != OpKind::kBind || !op.directory || op.by_descriptor) return false;
    const std::string inside = std::string(op.target) + "/";
    auto next = targets_.lower_bound(inside);
    return next != targets_.end() && next->starts_with(inside);
  }

  // By descriptor bubblewrap mounts this very directory, or fails; by name it mounts any file that has the name then,
  // and init verifies it when everything is mounted.
  void bind(const Op& op, const std::string& target) {
    const std::string argument = (op.attributes & MOUNT_ATTR_RDONLY) != 0 ? "--ro-bind" : "--bind";
    if (!has_mounts_below(op)) return append({argument, op.source, target});
    out_.sources.push_back(static_cast<std::size_t>(&op - lowered_.ops.data()));
    append({argument + "-fd", std::to_string(child::kFirstFreeDescriptor + texts_ + out_.sources.size() - 1), target});
  }

  std::string text_descriptor(std::string_view text) {
    out_.files.emplace_back(text);
    return std::to_string(child::kFirstFreeDescriptor + out_.files.size() - 1);
  }
  std::string empty_descriptor() {
    return std::to_string(child::kFirstFreeDescriptor + texts_ + sources_ + out_.empty_files++);
  }

  void directory(const Op& op, const std::string& target) {
    if (std::string_view(op.target) != kDevices || init_mounts_devices()) return append({"--dir", target});
    devices_in_skeleton_ = true;
    append({"--dev", target});
  }

  void own_directory(const Op& op, const std::string& target) {
    // Its own operation makes it read-only later.
    if (std::string_view(op.target) == kDevices && !init_mounts_devices()) return append({"--dev", target});
    tmpfs("0755", kOwnSize, target);
  }

  void tmpfs(const char* permissions, const std::string& size, const std::string& target) {
    append({"--perms", permissions});
    if (privilege_ == Privilege::kNone) append({"--size", size});
    append({"--tmpfs", target});
  }

  // The size is a limit on all of them together, and here each is a file system of its own.
  std::string size_of(const Op& op) const {
    std::uint64_t size = std::strtoull(op.text, nullptr, 10);
    if (std::string_view(op.text).ends_with('%')) {
      struct sysinfo memory {};
      ::sysinfo(&memory);
      size = std::uint64_t{memory.totalram} * memory.mem_unit / 100 * size;
    }
    return std::to_string(std::max<std::uint64_t>(size / static_cast<std::uint64_t>(tmps_), 1 << 20));
  }

  const LoweredPlan& lowered_;
  Privilege privilege_;
  BubblewrapArguments out_;
  std::set<std::string_view> targets_;
  std::size_t texts_ = 0;
  std::size_t sources_ = 0;
  std::ptrdiff_t tmps_ = 0;
  bool devices_in_skeleton_ = false;
};

}  // namespace

Result<BubblewrapArguments> bubblewrap_arguments(const LoweredPlan& lowered, Privilege privilege) {
  ArgumentBuilder builder(lowered, privilege);
  builder.begin();
  for (const Op& op : lowered.ops) PF_CHECK(builder.add(op), "building bubblewrap's arguments");
  builder.end();
  auto out = std::move(builder).take();
  if (out.values.size() > kMaxArguments)
    return fail(ErrorKind::kUnavailable,
                "the policy has too many rules for bubblewrap: " + std::to_string(out.values.size()) +
                    " arguments, and it takes " + std::to_string(kMaxArguments),
                "merge rules");
  return out;
}

}  // namespace pinfold::backend::on_linux
