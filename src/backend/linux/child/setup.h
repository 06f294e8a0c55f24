// setup.h: confines the init process between clone and the first command, by the sandbox's method.
// Not here: running commands (init.cc).
#pragma once

#include "backend/linux/child/blueprint.h"
#include "backend/linux/child/protocol.h"
#include "backend/linux/child/remount.h"

namespace pinfold::backend::on_linux::child {

// Two parts, prepare() and confine(). Stops at the first failure; no command has run by then.
class Setup {
 public:
  Setup(const InitOptions& options, Failure& failure) noexcept : options_(options), failure_(failure) {}

  bool prepare() noexcept;
  bool confine(const Blueprint& blueprint) noexcept;
  int landlock_abi() const noexcept { return abi_; }  // in force, 0 for none
  int helpers() const noexcept { return helpers_; }   // short-lived processes that it started
  // The ruleset that every command has to enter by itself; -1: none, init is confined already.
  int ruleset_for_commands() const noexcept {
    return options_.method == ConfinementMethod::kLandlockOnly ? ruleset_ : -1;
  }

 private:
  static constexpr std::uint64_t kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  static constexpr const char* kStubFile = ".stub-file";
  static constexpr const char* kStubDirectory = ".stub-directory";

  // Made before there was a plan; -1: could not be made, and is tried again with its op.
  struct PreparedMount {
    int tree = -1;
    std::uint64_t attributes = 0;  // still to be set once it is attached
    bool attached = false;         // already, in the skeleton
  };

  bool failed(Stage stage) noexcept;
  bool confine_by_namespaces() noexcept;
  bool verify_mounts() noexcept;
  bool mount_by_descriptor() noexcept;
  bool bind_to_itself(const Op& op) noexcept;
  bool is_bounding_set_empty() noexcept;
  bool check(const Op& op) noexcept;
  bool make_rules() noexcept;
  bool become_subreaper() noexcept;
  bool die_with_parent() noexcept;
  bool leave_namespaces() noexcept;
  bool start_network() noexcept;
  static int network_main(void* setup) noexcept;
  bool make_network() noexcept;
  bool enter_network() noexcept;
  bool route_to_itself() noexcept;
  bool drop_bubblewrap_capabilities() noexcept;
  bool write_file(const char* path, const char* text) noexcept;
  bool map_ids() noexcept;
  bool bring_up_loopback() noexcept;
  int new_filesystem(const char* type, const char* const (*options)[2], std::size_t count,
                     std::uint64_t attributes) noexcept;
  bool skeleton() noexcept;
  int device_tree(const char* path) noexcept;
  int proc_tree() noexcept;
  int terminals_tree() noexcept;
  void populate_skeleton() noexcept;
  bool prepare_mounts() noexcept;
  bool landlock_create() noexcept;
  bool landlock_rule(int fd, std::uint64_t access) noexcept;
  bool apply_ops() noexcept;
  bool apply(const Op& op) noexcept;
  bool make_entry(const Op& op) noexcept;
  bool open_parent(const char* target, std::size_t length) noexcept;
  void forget_parent() noexcept;
  bool make_entry_at(int at, const char* name, const Op& op) noexcept;
  bool attach(int tree, const Op& op) noexcept;
  bool restrict_mount(int tree, std::uint64_t attributes, Depth depth) noexcept;
  bool bind(const Op& op) noexcept;
  bool device(const Op& op) noexcept;
  bool cover(const Op& op) noexcept;
  bool mask(const Op& op, const char* stub) noexcept;
  bool make_stubs() noexcept;
  bool own_directory(const Op& op) noexcept;
  bool seal(const Op& op) noexcept;
  void attach_prepared(PreparedMount& prepared, const char* target) noexcept;
  bool is_usable(const PreparedMount& prepared, const Op& op) const noexcept;
  bool use_prepared(PreparedMount& prepared, const Op& op) noexcept;
  bool new_scratch(const char* size) noexcept;
  bool tmp(const Op& op) noexcept;
  bool terminals(const Op& op) noexcept;
  bool proc(const Op& op) noexcept;
  bool guard_proc() noexcept;
  bool guard_with(int tree, const char* path) noexcept;
  bool limit_processes() noexcept;
  bool enter_root() noexcept;
  bool nothing_above_root() noexcept;
  bool allow_loaders() noexcept;
  bool lock_privileges() noexcept;
  bool lock_securebits() noexcept;
  bool is_tolerated(int error) const noexcept;
  bool landlock_restrict() noexcept;
  bool join_new_keyring() noexcept;
  bool bound_capabilities() noexcept;
  bool drop_capabilities() noexcept;
  bool become_unreadable() noexcept;

  const InitOptions& options_;
  const Blueprint* blueprint_ = nullptr;
  Failure& failure_;
  std::int32_t index_ = -1;
  int skeleton_ = -1;  // the tmpfs
  // The directory of the files and directories that serve as masks, in the tmpfs: below the mount of /proc, so no
  // process inside sees it. They keep their names: the kernel mounts nothing over an unlinked file (ENOENT), and a
  // later grant is mounted over a mask.
  int stubs_ = -1;
  int root_ = -1;  // the future "/": the skeleton, or the host's root if that is shown
  int ruleset_ = -1;
  // The directory of the last entry made: the next one often lies there, too.
  int parent_ = -1;
  const char* parent_of_ = nullptr;
  std::size_t parent_length_ = 0;
  // The tmpfs of the private temporary directories of one size.
  int scratch_ = -1;
  const char* scratch_size_ = nullptr;
  bool scratch_attached_ = false;
  char scratch_next_ = 'a';
  PreparedMount proc_;
  PreparedMount terminals_;
  PreparedMount devices_[kDeviceCount];
  int abi_ = 0;
  // Written by the network helper, in memory that it shares with init.
  int helper_ = -1;
  int helpers_ = 0;
  int network_ = -1;
  Failure network_failure_{Stage::kNone, 0, -1};
};

}  // namespace pinfold::backend::on_linux::child
