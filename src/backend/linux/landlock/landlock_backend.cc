// landlock_backend.cc: walls of rules alone. Every command enters them by itself; the first process stays outside,
// gathers what loses its parent, and ends it all. Invariant: without Landlock there is no such sandbox: unavailable,
// never weaker. Not here: the rules (rules.cc), the calls that they have no word for (metadata_broker.cc), the judgement
// (coverage.cc).
#include "backend/linux/landlock/landlock_backend.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <utility>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/tree.h"
#include "backend/linux/notify/proxy_connect.h"
#include "backend/linux/init/failure.h"
#include "backend/linux/landlock/coverage.h"
#include "backend/linux/landlock/rules.h"
#include "backend/linux/landlock/scratch_home.h"
#include "backend/linux/landlock/metadata_broker.h"
#include "backend/linux/lower/loaders.h"
#include "backend/linux/init/prefork.h"
#include "backend/linux/sandbox.h"
#include "backend/linux/lower/steps.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

// Without a pid namespace, /proc alone lists the processes that must be ended; so it must be one, and of our own pid
// namespace. Empty: it is.
std::string why_no_processes() {
  const auto proc = sys::Fd::adopt(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct statfs info {};
  if (!proc.is_open() || ::fstatfs(proc.raw(), &info) != 0 || info.f_type != PROC_SUPER_MAGIC)
    return "/proc is not mounted: the run's processes could not be found when they must end";
  char self[16] = {};
  if (::readlinkat(proc.raw(), "self", self, sizeof self - 1) <= 0 || std::to_string(::getpid()) != self)
    return "/proc belongs to another pid namespace: the run's processes could not be found when they must end";
  return {};
}

class LandlockWalls final : public Walls {
 public:
  LandlockWalls(std::span<char> arguments, Orphans orphans) : arguments_(arguments), orphans_(orphans) {}

  Result<std::unique_ptr<Lowered>> lower(const Plan& plan, const LandlockSupport& landlock,
                                         SharedMemory shared_memory) override {
    if (landlock.abi == 0)
      return fail(ErrorKind::kUnavailable, landlock.why_absent,
                  "boot a kernel since 5.19 with landlock in its lsm= list");
    if (const std::string why = why_no_processes(); !why.empty()) return fail(ErrorKind::kUnavailable, why, kNoProcFix);
    plan_ = plan;
    PF_TRY(shelter, Shelter::plan(plan_), "");
    shelter_ = std::move(shelter);
    shelter_->settle(plan_);
    PF_TRY(rules, make_rules(plan_, *shelter_), "");
    seen_ = shelter_->as_seen(plan_);
    rules_ = std::move(rules);
    auto out = std::make_unique<Lowered>();
    out->environment = shelter_->environment(plan_);
    PF_CHECK(lower_frame(landlock, shared_memory, *out), "");
    for (const Rule& rule : rules_.rules) {
      child::Op op{};
      op.kind = child::OpKind::kRule;
      op.source = out->text.emplace_back(rule.path).c_str();
      op.target = "";
      op.landlock = rule.rights;
      out->ops.push_back(op);
    }
    out->blueprint.ops = out->ops.data();
    out->blueprint.op_count = out->ops.size();
    return out;
  }

  Result<FirstProcess> begin(const Lowered& lowered, const Cgroup& cgroup) override {
    if (orphans_ == Orphans::kAdopted)
      PF_CHECK(sys::call("prctl", "PR_SET_CHILD_SUBREAPER", [] { return ::prctl(PR_SET_CHILD_SUBREAPER, 1); }),
               "adopting orphans");
    PF_CHECK(shelter_->make(plan_), "making a private directory");
    PF_TRY(nursery, Nursery::begin(Namespaces::kNone, arguments_), "");
    nursery_ = std::move(nursery);
    PF_CHECK(nursery_->publish(lowered), "");
    if (!cgroup.directories().empty()) PF_CHECK(cgroup.enter(nursery_->pid), "entering the cgroup");
    first_ = std::exchange(nursery_->pid, -1);
    warden_.emplace(rules_.ground, first_);
    return FirstProcess{std::move(nursery_->control), std::move(nursery_->pidfd), first_};
  }

  Result<void> publish(const std::vector<sock_filter>& filter) override { return nursery_->publish(filter); }
  std::vector<Coverage> judge(const Plan& plan, const WallFacts& facts, const Cgroup& cgroup) const override {
    return landlock_coverage(plan, facts, {rules_, connector_ ? HeldTo::kProxy : HeldTo::kItsMode}, cgroup);
  }

  Counting counting() const override { return Counting::kNobody; }
  // Its death would set everything below it free: it is asked to end it, which it does first of all.
  void end(int control, int pidfd, pid_t) override {
    if (control >= 0) ::shutdown(control, SHUT_RDWR);
    // Stopped, it would not notice.
    ::syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, nullptr, 0);
  }
  // No namespace ends the others with it. They are children of this process now, besides the janitor, which
  // clean_up() makes superfluous.
  void first_was_killed() override {
    if (orphans_ == Orphans::kAdopted) child::end_everything_below(-1);
  }
  void before_waiting() override { nursery_->call_over(first_); }
  pid_t tree() const override { return first_; }
  CallAnswerer* answerer() override { return warden_ ? &*warden_ : nullptr; }
  bool protect(const std::string& path, const Origin& origin) override {
    if (warden_) warden_->protect(path, origin);
    return warden_.has_value();
  }
  Connector* connector() override { return connector_ ? &*connector_ : nullptr; }
  Ways ways(const Plan&) const override { return {&seen_, Beyond::kNames}; }
  bool leaves_something() const override { return true; }
  std::string clean_up() override { return shelter_ ? shelter_->remove() : std::string(); }

 private:
  // What every command starts with.
  Result<void> lower_frame(const LandlockSupport& landlock, SharedMemory shared_memory, Lowered& out) {
    out.blueprint.new_session = true;
    out.blueprint.landlock_abi = landlock.abi;
    out.blueprint.landlock_handled = landlock_handled(landlock.abi);
    // Granted to nobody: what was made inside can be reached without it.
    if (landlock.abi >= 9) out.blueprint.landlock_handled |= LANDLOCK_ACCESS_FS_RESOLVE_UNIX;
    if (landlock.abi >= 6) out.blueprint.landlock_scoped = kernel::kScopeAbstractUnixSocket | kernel::kScopeSignal;
    out.frame.working_dir = out.text.emplace_back(plan_.working_dir).c_str();
    out.frame.terminal_rights = landlock_device_rights() & out.blueprint.landlock_handled;
    out.private_network = false;
    out.plain.shared_memory = shared_memory;
    out.plain.apart = Apart::kRules;
    out.plain.landlock_abi = landlock.abi;
    std::vector<LimitStep> limits;
    std::uint32_t uid = 0;
    for (const Step& step : plan_.steps) {
      if (const auto* exec = std::get_if<ExecLimit>(&step.body)) {
        out.plain.exec = exec->mode;
        if (exec->mode != ExecMode::kAny) allow_loaders(out);
      } else if (const auto* network = std::get_if<Network>(&step.body)) {
        PF_TRY(mode, lower_network(*network, landlock, out.blueprint), "");
        out.plain.network = mode;
      } else if (const auto* limit = std::get_if<LimitStep>(&step.body)) {
        limits.push_back(*limit);
      } else if (const auto* identity = std::get_if<Identity>(&step.body)) {
        uid = identity->uid;
      }
    }
    build_filters(plan_, Traps::kChanges, Growth::kFixed, out);
    lower_limits(limits, uid, Counting::kNobody, out);
    return {};
  }

  // Names are granted by the run's proxy, to which the supervisor connects for the command. Landlock, which knows ports
  // and no addresses, lets it connect to none by itself.
  Result<NetworkMode> lower_network(const Network& network, const LandlockSupport& landlock,
                                    child::Blueprint& blueprint) {
    connector_.reset();
    const auto* observe = find_step<Observe>(plan_);
    const bool may_grow = observe != nullptr && observe->asks;
    if (network.mode != NetworkMode::kDomains || (network.reaches_nothing() && !may_grow))
      return network.reaches_nothing() ? NetworkMode::kNone : network.mode;
    const std::string why_not = Connector::why_not();
    if (!why_not.empty() && network.reaches_nothing()) return NetworkMode::kNone;
    if (!why_not.empty())
      return fail(ErrorKind::kUnavailable, "network by domain needs a network namespace: " + why_not,
                  "use --net none or full");
    connector_.emplace(network.domains);
    if (landlock.abi >= 4) blueprint.landlock_net = kernel::kBindTcp | kernel::kConnectTcp;
    return NetworkMode::kDomains;
  }

  std::span<char> arguments_;
  Orphans orphans_;
  Plan plan_;  // with the places of things as they are here
  Plan seen_;  // and by the names that they have
  std::optional<Shelter> shelter_;
  Rules rules_;
  std::unique_ptr<Nursery> nursery_;
  std::optional<Warden> warden_;
  std::optional<Connector> connector_;
  pid_t first_ = -1;
};

class LandlockBackend final : public Backend {
 public:
  LandlockBackend(std::span<char> arguments, Orphans orphans) : arguments_(arguments), orphans_(orphans) {}
  std::string_view name() const override { return "landlock"; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) override {
    return raise_sandbox(plan, std::make_unique<LandlockWalls>(arguments_, orphans_));
  }

 private:
  std::span<char> arguments_;
  Orphans orphans_;
};

}  // namespace

std::unique_ptr<Backend> make_landlock_backend(std::span<char> arguments, Orphans orphans) {
  return std::make_unique<LandlockBackend>(arguments, orphans);
}

}  // namespace pinfold::backend::on_linux
