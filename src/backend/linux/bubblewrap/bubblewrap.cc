// bubblewrap.cc: walls made by the system's bubblewrap, where only that may make namespaces; our own first process
// inside checks them and adds Landlock and seccomp.
// Invariant: what bubblewrap was asked for and what the first process checks is one list.
// Not here: its arguments (arguments.cc), its life (start.cc), the checks (child/verify_mounts.cc).
#include "backend/linux/bubblewrap/bubblewrap.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "backend/linux/bubblewrap/arguments.h"
#include "backend/linux/bubblewrap/coverage.h"
#include "backend/linux/bubblewrap/find.h"
#include "backend/linux/bubblewrap/first_mounts.h"
#include "backend/linux/bubblewrap/start.h"
#include "backend/linux/child/kernel.h"
#include "backend/linux/init/failure.h"
#include "backend/linux/lower/blueprint_writer.h"
#include "backend/linux/sandbox.h"
#include "backend/linux/lower/steps.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::backend::on_linux {
namespace {

using child::Op;
using child::OpKind;

constexpr const char* kThisProgram = "/proc/self/exe";

// The kernel's switches, most of which bubblewrap leaves writable: as operations like all others. Not only for uid 0:
// bubblewrap's user namespace has the caller as its root, who thereby owns what the sysctls of the new pid, network and
// ipc namespaces are.
std::vector<Op> proc_guards(bool is_root) {
  std::vector<Op> guards;
  auto add = [&](const char* path, OpKind kind) {
    struct stat info {};
    if (::stat(path, &info) != 0) return;
    Op op{};
    op.kind = kind;
    op.place = child::Place::kShown;
    op.directory = S_ISDIR(info.st_mode);
    op.source = kind == OpKind::kBind ? path : nullptr;
    op.target = path + 1;
    op.attributes = MOUNT_ATTR_RDONLY;
    guards.push_back(op);
  };
  if (!is_root) {
    add("/proc/sys", OpKind::kBind);
    return guards;
  }
  for (const char* path : child::kProcReadOnly) add(path, OpKind::kBind);
  for (const char* path : child::kProcMasked) add(path, OpKind::kMaskFile);
  return guards;
}

// Since 5.12. Before that, a mount can be restricted only through /proc, over which the first process mounts its stubs.
bool has_mount_setattr() {
  mount_attr none{};
  return kernel::mount_setattr(-1, "", 0, &none) == 0 || errno != ENOSYS;
}

bool is_bind(const Op& op) {
  return op.kind == OpKind::kBind || op.kind == OpKind::kBindRoot || op.kind == OpKind::kDevice;
}

Result<sys::Fd> open_source(const Lowered& lowered, std::size_t index) {
  const char* path = lowered.ops[index].source;
  auto source = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, path, O_PATH | O_NOFOLLOW, 0));
  if (source.is_open()) return source;
  const child::Failure failure{child::Stage::kOpenSource, errno, static_cast<std::int32_t>(index)};
  return tl::unexpected<Error>(explain(failure, lowered, {}));
}

// Which file each bind means, as it is now: what bubblewrap has mounted must be the same. What a later one covers
// cannot be looked at.
Result<std::vector<Op>> pin_sources(const Lowered& lowered) {
  std::vector<Op> ops = lowered.ops;
  std::unordered_map<std::string_view, std::size_t> last;
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (is_bind(ops[i]) || ops[i].kind == OpKind::kMaskFile || ops[i].kind == OpKind::kMaskDirectory ||
        ops[i].kind == OpKind::kCoverFile || ops[i].kind == OpKind::kOwnDirectory || ops[i].kind == OpKind::kTmp ||
        ops[i].kind == OpKind::kProc)
      last[ops[i].target] = i;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    Op& op = ops[i];
    if (!is_bind(op)) continue;
    PF_TRY(source, open_source(lowered, i), "");
    struct stat info {};
    if (::fstat(source.raw(), &info) != 0) return tl::unexpected<Error>(sys::os_error("fstat", op.source, errno));
    if (last[op.target] != i) {
      op.attributes = 0;
      continue;
    }
    op.device = info.st_dev;
    op.inode = info.st_ino;
  }
  return ops;
}

Result<sys::Fd> open_first_program(const std::string& program) {
  if (program.empty())
    return fail(ErrorKind::kUnavailable, "bubblewrap: the pinfold program is not installed beside the library",
                "install pinfold, whose own program is the first process inside");
  if (program == kThisProgram) {
    auto own = sys::Fd::adopt(::open(program.c_str(), O_PATH | O_CLOEXEC));
    if (own.is_open()) return own;
    return fail(ErrorKind::kUnavailable, "bubblewrap: open(" + program + "): " + sys::errno_text(errno), kNoProcFix);
  }
  return open_trusted_program(program, {0, ::getuid()});
}

class BubblewrapWalls final : public Walls {
 public:
  BubblewrapWalls(FoundBubblewrap found, sys::Fd first_program)
      : found_(std::move(found)), first_program_(std::move(first_program)) {}

  Counting counting() const override { return Counting::kUsers; }

  Result<std::unique_ptr<Lowered>> lower(const Plan& plan, const LandlockSupport& landlock,
                                         SharedMemory shared_memory) override {
    PF_TRY(lowered, on_linux::lower(plan, landlock, shared_memory, Growth::kFixed), "");
    auto& blueprint = lowered->blueprint;
    const auto* network = find_step<Network>(plan);
    const bool no_routes = blueprint.network_by_name && privilege() == Privilege::kSetuid;
    if (no_routes && network != nullptr && network->reaches_nothing())
      blueprint.network_by_name = false;  // nor is one needed
    else if (no_routes)
      return fail(ErrorKind::kUnavailable, "bubblewrap: one that is setuid leaves nobody the right to set a route",
                  "use --net none or full, or a bubblewrap that is not setuid");
    auto& ops = lowered->ops;
    auto proc = std::find_if(ops.begin(), ops.end(), [](const Op& op) { return op.kind == OpKind::kProc; });
    const auto guards = proc_guards(std::exchange(blueprint.guard_proc, false));
    if (proc != ops.end()) ops.insert(proc + 1, guards.begin(), guards.end());
    blueprint.pid_max = nullptr;
    if (child::mounts_devices(blueprint) && privilege() == Privilege::kNone && has_mount_setattr())
      leave_to_first_process(ops);
    blueprint.ops = ops.data();
    blueprint.op_count = ops.size();
    return lowered;
  }

  Result<FirstProcess> begin(const Lowered& lowered, const Cgroup& cgroup) override {
    auto first = make_first(lowered, cgroup);
    if (!first) process_.reset();  // now: it is in the cgroup, which is to be removed
    return first;
  }

  Result<void> publish(const std::vector<sock_filter>& filter) override {
    return lay_down(filter, arena_, handover_->shared);
  }
  std::vector<Coverage> judge(const Plan& plan, const WallFacts& facts, const Cgroup& cgroup) const override {
    return bubblewrap_coverage(plan, facts, cgroup, BubblewrapFacts{own_user_namespace_, privilege()});
  }
  void hasten_end() override {
    if (process_) process_->hasten_end();
  }

 private:
  Result<FirstProcess> make_first(const Lowered& lowered, const Cgroup& cgroup) {
    PF_CHECK(hand_over(lowered), "preparing bubblewrap");
    int ends[2];
    PF_TRY(made,
           sys::call("socketpair", "control",
                     [&] { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }),
           "making the control socket");
    static_cast<void>(made);
    FirstProcess first;
    first.control = sys::Fd::adopt(ends[0]);
    PF_CHECK(start(lowered, sys::Fd::adopt(ends[1])), "");
    if (!cgroup.directories().empty()) PF_CHECK(cgroup.enter(process_->pid()), "entering the cgroup");
    process_->go_on();
    PF_TRY(word, process_->hear_first(first.control.raw(), lowered.ops.size()), "");
    PF_CHECK(look_at(word.here, lowered.private_network), "");
    first.pidfd = std::move(word.pidfd);
    first.child = process_->release();
    return first;
  }

  Result<void> hand_over(const Lowered& lowered) {
    PF_TRY(memory, sys::call_fd("memfd_create", "memory", [] { return ::memfd_create("pinfold", MFD_CLOEXEC); }), "");
    PF_TRY(arena, Arena::create_in(memory.raw()), "");
    memory_ = std::move(memory);
    arena_ = std::move(arena);
    child::Handover empty{};
    handover_ = arena_.copy(&empty, 1);
    child::sign(*handover_);
    ::getrlimit(RLIMIT_NOFILE, &handover_->files);
    sigset_t mask;
    ::sigprocmask(SIG_SETMASK, nullptr, &mask);
    PF_TRY(ops, pin_sources(lowered), "");
    return lay_down(lowered, ops, mask, arena_, handover_->shared);
  }

  Privilege privilege() const { return found_.is_setuid && ::geteuid() != 0 ? Privilege::kSetuid : Privilege::kNone; }

  // `control` is the other end: ours to close once it is handed on.
  Result<void> start(const Lowered& lowered, sys::Fd control) {
    PF_TRY(arguments, bubblewrap_arguments(lowered, privilege()), "");
    std::string text;
    for (const std::string& word : arguments.words) text.append(word).push_back('\0');
    PF_TRY(words, sys::sealed_file(text), "preparing bubblewrap");
    std::vector<sys::Fd> files;
    BubblewrapProcess::Setting setting;
    for (const std::string& each : arguments.files) {
      PF_TRY(file, sys::sealed_file(each), "preparing bubblewrap");
      setting.files.push_back(file.raw());
      files.push_back(std::move(file));
    }
    for (std::size_t index : arguments.sources) {
      PF_TRY(source, open_source(lowered, index), "preparing bubblewrap");
      setting.files.push_back(source.raw());
      files.push_back(std::move(source));
    }
    setting.program = found_.program.raw();
    setting.first_program = first_program_.raw();
    setting.arguments = words.raw();
    setting.control = control.raw();
    setting.memory = memory_.raw();
    setting.empty_files = arguments.empty_files;
    PF_TRY(process, BubblewrapProcess::fork(setting), "starting bubblewrap");
    process_ = std::move(process);
    memory_.reset();
    return {};
  }

  // It stands in namespaces of its own, or all the rest is worth nothing.
  Result<void> look_at(const child::Here& here, bool private_network) {
    const child::Namespaces ours = child::own_namespaces();
    if (here.pid != 1) return fail(ErrorKind::kUnavailable, "bubblewrap: the first process inside is not PID 1");
    for (std::size_t i = 0; i < child::kNamespaceCount; ++i) {
      const std::string_view name = child::kNamespaceNames[i];
      const bool own = here.namespaces.inode[i] != ours.inode[i];
      if (name == "user")
        own_user_namespace_ = own;
      else if (own != (name == "net" ? private_network : ours.inode[i] != 0))
        return fail(ErrorKind::kUnavailable, "bubblewrap: " + std::string(name) +
                                                 (own ? " namespace that nobody asked for" : " namespace not made"));
    }
    return {};
  }

  FoundBubblewrap found_;
  sys::Fd first_program_;
  sys::Fd memory_;
  Arena arena_;
  child::Handover* handover_ = nullptr;
  std::unique_ptr<BubblewrapProcess> process_;
  bool own_user_namespace_ = false;
};

class BubblewrapBackend final : public Backend {
 public:
  explicit BubblewrapBackend(std::string program) : program_(std::move(program)) {}
  std::string_view name() const override { return "bubblewrap"; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) override {
    PF_TRY(found, find_bubblewrap(system_directories(), {0}), "");
    PF_TRY(first, open_first_program(program_), "");
    return raise_sandbox(plan, std::make_unique<BubblewrapWalls>(std::move(found), std::move(first)));
  }

 private:
  std::string program_;
};

}  // namespace

std::unique_ptr<Backend> make_bubblewrap_backend(std::string program) {
  return std::make_unique<BubblewrapBackend>(std::move(program));
}

}  // namespace pinfold::backend::on_linux
