// landlock_backend.cc: confinement by Landlock alone. Every command enters the ruleset by itself; init stays
// unconfined, inherits orphans, and ends the whole tree.
// Invariant: without Landlock the backend is unavailable, never weaker.
// Not here: the rules (rules.cc), calls that Landlock has no rule for (metadata_broker.cc), coverage (coverage.cc).
#include "backend/linux/landlock/landlock_backend.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <utility>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/tree.h"
#include "backend/linux/init/failure.h"
#include "backend/linux/init/prefork.h"
#include "backend/linux/landlock/coverage.h"
#include "backend/linux/landlock/metadata_broker.h"
#include "backend/linux/landlock/proc_mount.h"
#include "backend/linux/landlock/rules.h"
#include "backend/linux/landlock/scratch_home.h"
#include "backend/linux/lower/loaders.h"
#include "backend/linux/lower/steps.h"
#include "backend/linux/notify/proxy_connect.h"
#include "backend/linux/sandbox.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

class LandlockConfinement final : public Confinement {
 public:
  LandlockConfinement(std::span<char> arguments, Orphans orphans) : arguments_(arguments), orphans_(orphans) {}

  Result<std::unique_ptr<LoweredPlan>> lower(const Plan& plan, const LandlockSupport& landlock,
                                             SharedMemory shared_memory) override {
    if (landlock.abi == 0)
      return fail(ErrorKind::kUnavailable, landlock.why_absent,
                  "boot a kernel since 5.19 with landlock in its lsm= list");
    const ProcMount proc = ProcMount::at("/proc");
    if (!proc.why_unusable().empty()) return fail(ErrorKind::kUnavailable, proc.why_unusable(), proc.fix());
    proc_hides_ = proc.hides_processes();
    plan_ = plan;
    PF_TRY(scratch, ScratchHome::plan(plan_));
    scratch_ = std::move(scratch);
    scratch_->make_kept_directories(plan_);
    PF_TRY(rules, make_rules(plan_, *scratch_));
    visible_plan_ = scratch_->visible_plan(plan_);
    rules_ = std::move(rules);
    auto out = std::make_unique<LoweredPlan>();
    out->environment = scratch_->environment(plan_);
    PF_CHECK(lower_frame(landlock, shared_memory, *out));
    for (const LandlockRule& rule : rules_.rules) {
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

  Result<InitProcess> start_init(const LoweredPlan& lowered, const Cgroup& cgroup) override {
    if (orphans_ == Orphans::kAdopted)
      PF_CHECK(sys::call("prctl", "PR_SET_CHILD_SUBREAPER", [] { return ::prctl(PR_SET_CHILD_SUBREAPER, 1); }),
               "adopting orphans");
    PF_CHECK(scratch_->make(plan_), "making a private directory");
    PF_TRY(preforked, PreforkedInit::create(Namespaces::kNone, arguments_));
    preforked_ = std::move(preforked);
    PF_CHECK(preforked_->publish(lowered));
    if (!cgroup.directories().empty()) PF_CHECK(cgroup.enter(preforked_->pid), "entering the cgroup");
    first_ = std::exchange(preforked_->pid, -1);
    broker_.emplace(rules_.access, first_);
    return InitProcess{std::move(preforked_->control), std::move(preforked_->pidfd), first_};
  }

  Result<void> publish(const std::vector<sock_filter>& filter) override { return preforked_->publish(filter); }
  std::vector<Coverage> assess(const Plan& plan, const ConfinementFacts& facts, const Cgroup& cgroup) const override {
    auto rows =
        landlock_coverage(plan, facts, {rules_, proxy_connector_ ? TcpAccess::kProxyOnly : TcpAccess::kByMode}, cgroup);
    for (Coverage& row : rows)
      if (proc_hides_ && row.strength == Strength::kPartial &&
          (row.step == step_name::kMemory || row.step == step_name::kCpuTime))
        weaken(row, Strength::kPartial,
               "/proc is mounted with hidepid: processes with PR_SET_DUMPABLE 0 are not in the sum");
    return rows;
  }

  Counting counting() const override { return Counting::kNone; }
  // Killing init would leave its descendants running. Instead init is asked to end them, which it does first.
  void end_processes(int control, int pidfd, pid_t) override {
    if (control >= 0) ::shutdown(control, SHUT_RDWR);
    // A stopped init would not notice.
    ::syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, nullptr, 0);
  }
  // Without a pid namespace, its descendants keep running. They are now children of this process, as is the janitor,
  // whose work clean_up() does.
  void init_was_killed() override {
    if (orphans_ == Orphans::kAdopted) child::kill_descendants(-1);
  }
  void before_waiting() override { preforked_->allow_same_cpu(first_); }
  pid_t usage_root() const override { return first_; }
  CallHandler* call_handler() override { return broker_ ? &*broker_ : nullptr; }
  bool protect(const std::string& path, const Origin& origin) override {
    if (broker_) broker_->protect(path, origin);
    return broker_.has_value();
  }
  ProxyConnector* proxy_connector() override { return proxy_connector_ ? &*proxy_connector_ : nullptr; }
  ObservedPlan observed_plan(const Plan&) const override { return {&visible_plan_, UngrantedPaths::kVisible}; }
  bool needs_clean_up() const override { return true; }
  std::string clean_up() override { return scratch_ ? scratch_->remove() : std::string(); }

 private:
  // The settings that all commands start with.
  Result<void> lower_frame(const LandlockSupport& landlock, SharedMemory shared_memory, LoweredPlan& out) {
    out.blueprint.new_session = true;
    out.blueprint.landlock_abi = landlock.abi;
    out.blueprint.landlock_handled = landlock_handled(landlock.abi);
    // Handled and never granted: sockets that are made inside can be reached without this right.
    if (landlock.abi >= 9) out.blueprint.landlock_handled |= LANDLOCK_ACCESS_FS_RESOLVE_UNIX;
    if (landlock.abi >= 6) out.blueprint.landlock_scoped = kernel::kScopeAbstractUnixSocket | kernel::kScopeSignal;
    out.frame.working_dir = out.text.emplace_back(plan_.working_dir).c_str();
    out.frame.terminal_rights = landlock_device_rights() & out.blueprint.landlock_handled;
    out.private_network = false;
    out.plain.shared_memory = shared_memory;
    out.plain.isolation = Isolation::kLandlockOnly;
    out.plain.landlock_abi = landlock.abi;
    std::vector<LimitStep> limits;
    std::uint32_t uid = 0;
    for (const Step& step : plan_.steps) {
      if (const auto* exec = std::get_if<ExecLimit>(&step.body)) {
        out.plain.exec = exec->mode;
        if (exec->mode != ExecMode::kAny) PF_CHECK(allow_loaders(out));
      } else if (const auto* network = std::get_if<Network>(&step.body)) {
        PF_TRY(mode, lower_network(*network, landlock, out.blueprint));
        out.plain.network = mode;
      } else if (const auto* limit = std::get_if<LimitStep>(&step.body)) {
        limits.push_back(*limit);
      } else if (const auto* identity = std::get_if<Identity>(&step.body)) {
        uid = identity->uid;
      }
    }
    build_filters(plan_, Traps::kChanges, Growth::kFixed, out);
    lower_limits(limits, uid, Counting::kNone, out);
    return {};
  }

  // The run's proxy grants names, and the supervisor connects to it for the command. Landlock knows ports but no
  // addresses, so the command itself gets no right to connect.
  Result<NetworkMode> lower_network(const Network& network, const LandlockSupport& landlock,
                                    child::Blueprint& blueprint) {
    proxy_connector_.reset();
    const auto* observe = find_step<Observe>(plan_);
    const bool may_grow = observe != nullptr && observe->asks;
    if (network.mode != NetworkMode::kDomains || (network.reaches_nothing() && !may_grow))
      return network.reaches_nothing() ? NetworkMode::kNone : network.mode;
    const std::string why_not = ProxyConnector::why_unavailable();
    if (!why_not.empty() && network.reaches_nothing()) return NetworkMode::kNone;
    if (!why_not.empty())
      return fail(ErrorKind::kUnavailable, "network by domain needs a network namespace: " + why_not,
                  "use --net none or full");
    proxy_connector_.emplace(network.domains);
    if (landlock.abi >= 4) blueprint.landlock_net = kernel::kBindTcp | kernel::kConnectTcp;
    return NetworkMode::kDomains;
  }

  std::span<char> arguments_;
  Orphans orphans_;
  Plan plan_;          // with the paths as they are on the host
  Plan visible_plan_;  // with the paths that programs inside use
  std::optional<ScratchHome> scratch_;
  Rules rules_;
  std::unique_ptr<PreforkedInit> preforked_;
  std::optional<MetadataBroker> broker_;
  std::optional<ProxyConnector> proxy_connector_;
  bool proc_hides_ = false;
  pid_t first_ = -1;
};

class LandlockBackend final : public Backend {
 public:
  LandlockBackend(std::span<char> arguments, Orphans orphans) : arguments_(arguments), orphans_(orphans) {}
  std::string_view name() const override { return "landlock"; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) override {
    return start_sandbox(plan, std::make_unique<LandlockConfinement>(arguments_, orphans_));
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
