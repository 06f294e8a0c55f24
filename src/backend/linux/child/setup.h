// setup.h: raises every wall, between clone and the first command: by the method of the sandbox.
// Not here: running commands (init.cc).
#pragma once

#include "backend/linux/child/blueprint.h"
#include "backend/linux/child/remount.h"
#include "backend/linux/child/protocol.h"

namespace pinfold::backend::on_linux::child {

// Follows a checklist in two parts. The first failure ends it; nothing of the user's has run by then.
class Setup {
 public:
  Setup(const Beginning& beginning, Failure& failure) noexcept : beginning_(beginning), failure_(failure) {}

  bool begin() noexcept;
  bool raise(const Blueprint& blueprint) noexcept;
  int landlock_abi() const noexcept { return abi_; }  // in force, 0 for none
  int helpers() const noexcept { return helpers_; }   // processes that there were for a moment
  // What every command has to enter by itself; -1: nothing, the first process is inside already.
  int ruleset_for_commands() const noexcept { return beginning_.method == Method::kRules ? ruleset_ : -1; }

 private:
  static constexpr std::uint64_t kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  static constexpr const char* kStubFile = ".stub-file";
  static constexpr const char* kStubDirectory = ".stub-directory";

  // Made before there was a plan; -1: not to be had then, and made when its op comes.
  struct Ready {
    int tree = -1;
    std::uint64_t attributes = 0;  // those that it still needs once it is attached
    bool attached = false;         // already, in the skeleton
  };

  bool failed(Stage stage) noexcept;
  bool raise_namespaces() noexcept;
  bool check_given() noexcept;
  bool mount_by_descriptor() noexcept;
  bool bind_to_itself(const Op& op) noexcept;
  bool is_bounded() noexcept;
  bool check(const Op& op) noexcept;
  bool make_rules() noexcept;
  bool gather_orphans() noexcept;
  bool die_with_parent() noexcept;
  bool leave_namespaces() noexcept;
  bool begin_network() noexcept;
  static int network_main(void* setup) noexcept;
  bool make_network() noexcept;
  bool enter_network() noexcept;
  bool route_to_itself() noexcept;
  bool bound_given() noexcept;
  bool write_file(const char* path, const char* text) noexcept;
  bool map_ids() noexcept;
  bool loopback() noexcept;
  int new_filesystem(const char* type, const char* const (*options)[2], std::size_t count,
                     std::uint64_t attributes) noexcept;
  bool skeleton() noexcept;
  int device_tree(const char* path) noexcept;
  int proc_tree() noexcept;
  int terminals_tree() noexcept;
  void furnish() noexcept;
  bool make_ready() noexcept;
  bool landlock_create() noexcept;
  bool landlock_rule(int fd, std::uint64_t access) noexcept;
  bool follow_ops() noexcept;
  bool follow(const Op& op) noexcept;
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
  void place(Ready& ready, const char* target) noexcept;
  bool is_of_use(const Ready& ready, const Op& op) const noexcept;
  bool take(Ready& ready, const Op& op) noexcept;
  bool new_scratch(const char* size) noexcept;
  bool tmp(const Op& op) noexcept;
  bool terminals(const Op& op) noexcept;
  bool proc(const Op& op) noexcept;
  bool guard_proc() noexcept;
  bool guard_with(int tree, const char* path) noexcept;
  bool bound_processes() noexcept;
  bool enter_root() noexcept;
  bool nothing_above_root() noexcept;
  bool allow_loaders() noexcept;
  bool lock_privileges() noexcept;
  bool lock_securebits() noexcept;
  bool is_forgivable(int error) const noexcept;
  bool landlock_restrict() noexcept;
  bool leave_keyring() noexcept;
  bool bound_capabilities() noexcept;
  bool drop_capabilities() noexcept;
  bool become_unreadable() noexcept;

  const Beginning& beginning_;
  const Blueprint* blueprint_ = nullptr;
  Failure& failure_;
  std::int32_t index_ = -1;
  int skeleton_ = -1;  // the tmpfs
  // Where what hides lies, in the tmpfs: below the mount of /proc, so nobody sees it. It keeps its name: the kernel
  // mounts nothing over what has lost it, and a grant lies over what hides.
  int stubs_ = -1;
  int root_ = -1;  // what becomes "/": the skeleton, or the host's root when that is shown
  int ruleset_ = -1;
  // The directory in which the last entry was made: the next one often lies there, too.
  int parent_ = -1;
  const char* parent_of_ = nullptr;
  std::size_t parent_length_ = 0;
  // The file system of the private temporary directories of one size.
  int scratch_ = -1;
  const char* scratch_size_ = nullptr;
  bool scratch_attached_ = false;
  char scratch_next_ = 'a';
  Ready proc_;
  Ready terminals_;
  Ready devices_[kDeviceCount];
  int abi_ = 0;
  // The helper's: it writes here, in the memory that it shares with us.
  int helper_ = -1;
  int helpers_ = 0;
  int network_ = -1;
  Failure network_failure_{Stage::kNone, 0, -1};
};

}  // namespace pinfold::backend::on_linux::child
