// bubblewrap.cc: confinement by the system's bubblewrap, where only that program may make namespaces; Pinfold's init
// inside verifies the mounts and adds Landlock and seccomp.
// Invariant: bubblewrap's arguments and init's checks come from one list of operations.
// Not here: the arguments (arguments.cc), the process (start.cc), the checks (child/verify_mounts.cc).
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
#include "backend/linux/lower/steps.h"
#include "backend/linux/sandbox.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::backend::on_linux {
namespace {

using child::Op;
using child::OpKind;

constexpr const char* kThisProgram = "/proc/self/exe";

// The kernel's settings below /proc, most of which bubblewrap leaves writable, as ordinary operations. Not only for uid
// 0: the caller is root of bubblewrap's user namespace, and so owns the sysctls of the new pid, network and ipc
// namespaces.
std::vector<Op> proc_guards(bool is_root) {
  std::vector<Op> guards;
  auto add = [&](const char* path, OpKind kind) {
    struct stat info {};
    if (::stat(path, &info) != 0) return;
    Op op{};
    op.kind = kind;
    op.location = child::TargetLocation::kShown;
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

// Since 5.12. Before that, a mount can be restricted only through /proc, over which init mounts its stubs.
bool has_mount_setattr() {
  mount_attr none{};
  return kernel::mount_setattr(-1, "", 0, &none) == 0 || errno != ENOSYS;
}

bool is_bind(const Op& op) {
  return op.kind == OpKind::kBind || op.kind == OpKind::kBindRoot || op.kind == OpKind::kDevice;
}

Result<sys::Fd> open_source(const LoweredPlan& lowered, std::size_t index) {
  const char* path = lowered.ops[index].source;
  auto source = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, path, O_PATH | O_NOFOLLOW, 0));
  if (source.is_open()) return source;
  const child::Failure failure{child::Stage::kOpenSource, errno, static_cast<std::int32_t>(index)};
  return tl::unexpected<Error>(explain(failure, lowered, {}));
}

// Pins the source of each bind: bubblewrap must have mounted that file. A mount that a later one covers cannot be
// checked.
Result<std::vector<Op>> pin_sources(const LoweredPlan& lowered) {
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
    PF_TRY(source, open_source(lowered, i));
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
                "install pinfold, whose own program is init inside");
  if (program == kThisProgram) {
    auto own = sys::Fd::adopt(::open(program.c_str(), O_PATH | O_CLOEXEC));
    if (own.is_open()) return own;
    return fail(ErrorKind::kUnavailable, "bubblewrap: open(" + program + "): " + sys::errno_text(errno), kNoProcFix);
  }
  return open_trusted_program(program, {0, ::getuid()});
}

class BubblewrapConfinement final : public Confinement {
 public:
  BubblewrapConfinement(BubblewrapProgram found, sys::Fd first_program)
      : found_(std::move(found)), first_program_(std::move(first_program)) {}

  Counting counting() const override { return Counting::kUsers; }

  Result<std::unique_ptr<LoweredPlan>> lower(const Plan& plan, const LandlockSupport& landlock,
                                             SharedMemory shared_memory) override {
    PF_TRY(lowered, on_linux::lower(plan, landlock, shared_memory, Growth::kFixed));
    auto& blueprint = lowered->blueprint;
    const auto* network = find_step<Network>(plan);
    const bool no_routes = blueprint.network_by_name && privilege() == Privilege::kSetuid;
    if (no_routes && network != nullptr && network->reaches_nothing())
      blueprint.network_by_name = false;  // no route is needed either
    else if (no_routes)
      return fail(ErrorKind::kUnavailable, "bubblewrap: a setuid bubblewrap leaves no process the right to set a route",
                  "use --net none or full, or a bubblewrap that is not setuid");
    auto& ops = lowered->ops;
    auto proc = std::find_if(ops.begin(), ops.end(), [](const Op& op) { return op.kind == OpKind::kProc; });
    const auto guards = proc_guards(std::exchange(blueprint.guard_proc, false));
    if (proc != ops.end()) ops.insert(proc + 1, guards.begin(), guards.end());
    blueprint.pid_max = nullptr;
    if (child::mounts_devices(blueprint) && privilege() == Privilege::kNone && has_mount_setattr()) leave_to_init(ops);
    blueprint.ops = ops.data();
    blueprint.op_count = ops.size();
    return lowered;
  }

  Result<InitProcess> start_init(const LoweredPlan& lowered, const Cgroup& cgroup) override {
    auto first = start_init_process(lowered, cgroup);
    if (!first) process_.reset();  // at once: it is in the cgroup, which is about to be removed
    return first;
  }

  Result<void> publish(const std::vector<sock_filter>& filter) override {
    return write_filter(filter, arena_, handoff_->shared);
  }
  std::vector<Coverage> assess(const Plan& plan, const ConfinementFacts& facts, const Cgroup& cgroup) const override {
    return bubblewrap_coverage(plan, facts, cgroup, BubblewrapFacts{own_user_namespace_, privilege()});
  }
  void hasten_end() override {
    if (process_) process_->hasten_end();
  }

 private:
  Result<InitProcess> start_init_process(const LoweredPlan& lowered, const Cgroup& cgroup) {
    PF_CHECK(write_handoff(lowered), "preparing bubblewrap");
    int ends[2];
    PF_TRY(made,
           sys::call("socketpair", "control",
                     [&] { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }),
           "making the control socket");
    static_cast<void>(made);
    InitProcess first;
    first.control = sys::Fd::adopt(ends[0]);
    PF_CHECK(start(lowered, sys::Fd::adopt(ends[1])));
    if (!cgroup.directories().empty()) PF_CHECK(cgroup.enter(process_->pid()), "entering the cgroup");
    process_->let_exec();
    PF_TRY(handshake, process_->wait_for_init(first.control.raw(), lowered.ops.size()));
    PF_CHECK(check_namespaces(handshake.hello, lowered.private_network));
    first.pidfd = std::move(handshake.pidfd);
    first.child = process_->release();
    return first;
  }

  Result<void> write_handoff(const LoweredPlan& lowered) {
    PF_TRY(memory, sys::call_fd("memfd_create", "memory", [] { return ::memfd_create("pinfold", MFD_CLOEXEC); }));
    PF_TRY(arena, Arena::create_in(memory.raw()));
    memory_ = std::move(memory);
    arena_ = std::move(arena);
    child::BwrapHandoff empty{};
    handoff_ = arena_.copy(&empty, 1);
    child::sign(*handoff_);
    ::getrlimit(RLIMIT_NOFILE, &handoff_->files);
    sigset_t mask;
    ::sigprocmask(SIG_SETMASK, nullptr, &mask);
    PF_TRY(ops, pin_sources(lowered));
    return write_blueprint(lowered, ops, mask, arena_, handoff_->shared);
  }

  Privilege privilege() const { return found_.is_setuid && ::geteuid() != 0 ? Privilege::kSetuid : Privilege::kNone; }

  // `control` is the other end: closed here once bubblewrap has inherited it.
  Result<void> start(const LoweredPlan& lowered, sys::Fd control) {
    PF_TRY(arguments, bubblewrap_arguments(lowered, privilege()));
    std::string text;
    for (const std::string& handshake : arguments.values) text.append(handshake).push_back('\0');
    PF_TRY(words, sys::sealed_file(text), "preparing bubblewrap");
    std::vector<sys::Fd> files;
    BubblewrapProcess::Options options;
    for (const std::string& each : arguments.files) {
      PF_TRY(file, sys::sealed_file(each), "preparing bubblewrap");
      options.files.push_back(file.raw());
      files.push_back(std::move(file));
    }
    for (std::size_t index : arguments.sources) {
      PF_TRY(source, open_source(lowered, index), "preparing bubblewrap");
      options.files.push_back(source.raw());
      files.push_back(std::move(source));
    }
    options.program = found_.program.raw();
    options.first_program = first_program_.raw();
    options.arguments = words.raw();
    options.control = control.raw();
    options.memory = memory_.raw();
    options.empty_files = arguments.empty_files;
    PF_TRY(process, BubblewrapProcess::fork(options), "starting bubblewrap");
    process_ = std::move(process);
    memory_.reset();
    return {};
  }

  // Without namespaces of its own init is not confined: refuse.
  Result<void> check_namespaces(const child::InitHello& hello, bool private_network) {
    const child::Namespaces ours = child::own_namespaces();
    if (hello.pid != 1) return fail(ErrorKind::kUnavailable, "bubblewrap: init is not PID 1 inside");
    for (std::size_t i = 0; i < child::kNamespaceCount; ++i) {
      const std::string_view name = child::kNamespaceNames[i];
      const bool own = hello.namespaces.inode[i] != ours.inode[i];
      if (name == "user")
        own_user_namespace_ = own;
      else if (own != (name == "net" ? private_network : ours.inode[i] != 0))
        return fail(ErrorKind::kUnavailable, "bubblewrap: " + std::string(name) +
                                                 (own ? " namespace made without a request" : " namespace not made"));
    }
    return {};
  }

  BubblewrapProgram found_;
  sys::Fd first_program_;
  sys::Fd memory_;
  Arena arena_;
  child::BwrapHandoff* handoff_ = nullptr;
  std::unique_ptr<BubblewrapProcess> process_;
  bool own_user_namespace_ = false;
};

class BubblewrapBackend final : public Backend {
 public:
  explicit BubblewrapBackend(std::string program) : program_(std::move(program)) {}
  std::string_view name() const override { return "bubblewrap"; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) override {
    PF_TRY(found, find_bubblewrap(system_directories(), {0}));
    PF_TRY(first, open_first_program(program_));
    return start_sandbox(plan, std::make_unique<BubblewrapConfinement>(std::move(found), std::move(first)));
  }

 private:
  std::string program_;
};

}  // namespace

std::unique_ptr<Backend> make_bubblewrap_backend(std::string program) {
  return std::make_unique<BubblewrapBackend>(std::move(program));
}

}  // namespace pinfold::backend::on_linux
