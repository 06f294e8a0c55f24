// arguments.cc: each operation of the view as arguments of bubblewrap.
// Invariant: exhaustive over the kinds of operations. What was mounted is checked from inside (child/verify_mounts.cc).
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

constexpr std::size_t kMostWords = 9000;  // bubblewrap's own bound
constexpr const char* kDevices = "dev";
constexpr const char* kOwnSize = "4194304";

class Words {
 public:
  Words(const Lowered& lowered, Privilege privilege) : lowered_(lowered), privilege_(privilege) {
    // Those with text come first in the order of descriptors.
    texts_ = static_cast<std::size_t>(std::count_if(lowered.ops.begin(), lowered.ops.end(), has_text));
    for (const Op& op : lowered.ops) targets_.insert(op.target);
    sources_ = static_cast<std::size_t>(
        std::count_if(lowered.ops.begin(), lowered.ops.end(), [&](const Op& op) { return bears_others(op); }));
    tmps_ = std::count_if(lowered.ops.begin(), lowered.ops.end(), [](const Op& op) { return op.kind == OpKind::kTmp; });
  }

  void begin() {
    if (privilege_ == Privilege::kNone) say({"--unshare-user-try"});
    say({"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"});
    if (lowered_.private_network) say({"--unshare-net"});
    // Not --die-with-parent: killed before it has let its child go on, bubblewrap leaves that one waiting for ever. Our
    // first process ends by itself when the supervisor is gone, at the latest when it is to say that it is there.
    say({"--cap-drop", "ALL", "--as-pid-1", "--chdir", "/"});
    // For the first process, to set a route, to open sockets, to mount terminals, to close devices to their owner and
    // to give all that up (child/verify_mounts.cc).
    if (lowered_.blueprint.network_by_name) say({"--cap-add", "CAP_NET_ADMIN", "--cap-add", "CAP_NET_BIND_SERVICE"});
    if (mounts_itself()) say({"--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"});
  }

  Result<void> add(const Op& op) {
    if (op.by_descriptor) return {};
    const std::string target = std::string("/") + (op.kind == OpKind::kBindRoot ? "" : op.target);
    switch (op.kind) {
      case OpKind::kMakeDirectory: directory(op, target); return {};
      case OpKind::kMakeLink:
        if (mounts_itself() || !is_device_link(target)) say({"--symlink", op.text, target});
        return {};
      case OpKind::kMakeFile:
        // One without text is a mount point, which bubblewrap makes by itself.
        if (has_text(op)) say({"--perms", "0444", "--file", text_descriptor({op.text, op.length}), target});
        return {};
      case OpKind::kCoverFile:
        say({"--perms", "0444", "--ro-bind-data", text_descriptor({op.text, op.length}), target});
        return {};
      case OpKind::kBindRoot:
      case OpKind::kBind: bind(op, target); return {};
      case OpKind::kDevice:  // --dev brings these along
        if (mounts_itself()) say({"--dev-bind", op.source, target});
        return {};
      case OpKind::kTerminals:
        if (mounts_itself()) say({"--dir", target});
        return {};
      case OpKind::kMaskFile: say({"--perms", "0000", "--ro-bind-data", empty_descriptor(), target}); return {};
      case OpKind::kMaskDirectory: say({"--perms", "0000", "--tmpfs", target, "--remount-ro", target}); return {};
      case OpKind::kOwnDirectory: own_directory(op, target); return {};
      case OpKind::kSealDirectory: say({"--remount-ro", target}); return {};
      case OpKind::kProc: say({"--proc", target}); return {};
      case OpKind::kTmp: tmpfs("1777", size_of(op), target); return {};
      case OpKind::kRule: break;  // where there are no mounts
    }
    return fail(ErrorKind::kSystem, "bubblewrap has no words for an operation at " + target);
  }

  void end() {
    if (devices_in_skeleton_) say({"--remount-ro", "/dev"});
    if (!lowered_.blueprint.root_is_shown) say({"--remount-ro", "/"});
  }

  BubblewrapArguments take() && { return std::move(out_); }

 private:
  // --dev makes bubblewrap enter a second user namespace, whose rights end at the network and the mounts of the first
  // one. Neither --dev nor --remount-ro makes a device read-only that still works (they add nodev).
  bool mounts_itself() const { return child::mounts_devices(lowered_.blueprint); }

  static bool has_text(const Op& op) {
    return (op.kind == OpKind::kMakeFile || op.kind == OpKind::kCoverFile) && op.text != nullptr && !op.by_descriptor;
  }
  static bool is_device_link(std::string_view target) {
    return std::any_of(std::begin(child::kDeviceLinks), std::end(child::kDeviceLinks),
                       [&](const auto& link) { return target == link[0]; });
  }

  void say(std::vector<std::string> words) {
    for (std::string& word : words) out_.words.push_back(std::move(word));
  }

  // Something will be mounted in it. bubblewrap makes mount points that are missing: in whatever directory a name leads
  // to by then, which may be another one than was meant, on the host.
  bool bears_others(const Op& op) const {
    if (op.kind != OpKind::kBind || !op.directory || op.by_descriptor) return false;
    const std::string inside = std::string(op.target) + "/";
    auto next = targets_.lower_bound(inside);
    return next != targets_.end() && next->starts_with(inside);
  }

  // By descriptor bubblewrap mounts this very directory, or ends; by name what the name leads to, which is checked
  // from inside, when all is mounted.
  void bind(const Op& op, const std::string& target) {
    const std::string word = (op.attributes & MOUNT_ATTR_RDONLY) != 0 ? "--ro-bind" : "--bind";
    if (!bears_others(op)) return say({word, op.source, target});
    out_.sources.push_back(static_cast<std::size_t>(&op - lowered_.ops.data()));
    say({word + "-fd", std::to_string(child::kFirstFreeDescriptor + texts_ + out_.sources.size() - 1), target});
  }

  std::string text_descriptor(std::string_view text) {
    out_.files.emplace_back(text);
    return std::to_string(child::kFirstFreeDescriptor + out_.files.size() - 1);
  }
  std::string empty_descriptor() {
    return std::to_string(child::kFirstFreeDescriptor + texts_ + sources_ + out_.empty_files++);
  }

  void directory(const Op& op, const std::string& target) {
    if (std::string_view(op.target) != kDevices || mounts_itself()) return say({"--dir", target});
    devices_in_skeleton_ = true;
    say({"--dev", target});
  }

  void own_directory(const Op& op, const std::string& target) {
    // Sealed by its own operation.
    if (std::string_view(op.target) == kDevices && !mounts_itself()) return say({"--dev", target});
    tmpfs("0755", kOwnSize, target);
  }

  void tmpfs(const char* permissions, const std::string& size, const std::string& target) {
    say({"--perms", permissions});
    if (privilege_ == Privilege::kNone) say({"--size", size});
    say({"--tmpfs", target});
  }

  // The size is meant for all of them together, and each is a file system of its own here.
  std::string size_of(const Op& op) const {
    std::uint64_t size = std::strtoull(op.text, nullptr, 10);
    if (std::string_view(op.text).ends_with('%')) {
      struct sysinfo memory {};
      ::sysinfo(&memory);
      size = std::uint64_t{memory.totalram} * memory.mem_unit / 100 * size;
    }
    return std::to_string(std::max<std::uint64_t>(size / static_cast<std::uint64_t>(tmps_), 1 << 20));
  }

  const Lowered& lowered_;
  Privilege privilege_;
  BubblewrapArguments out_;
  std::set<std::string_view> targets_;
  std::size_t texts_ = 0;
  std::size_t sources_ = 0;
  std::ptrdiff_t tmps_ = 0;
  bool devices_in_skeleton_ = false;
};

}  // namespace

Result<BubblewrapArguments> bubblewrap_arguments(const Lowered& lowered, Privilege privilege) {
  Words words(lowered, privilege);
  words.begin();
  for (const Op& op : lowered.ops) PF_CHECK(words.add(op), "asking bubblewrap for the view");
  words.end();
  auto out = std::move(words).take();
  if (out.words.size() > kMostWords)
    return fail(ErrorKind::kUnavailable,
                "the policy has too many rules for bubblewrap: " + std::to_string(out.words.size()) +
                    " arguments, and it takes " + std::to_string(kMostWords),
                "merge rules");
  return out;
}

}  // namespace pinfold::backend::on_linux
