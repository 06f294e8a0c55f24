// coverage.cc: the coverage rows that every backend has, and those of native.
// Invariant: every row below "enforced" names its gap.
// Not here: collecting the facts (sandbox.cc).
#include "backend/linux/coverage.h"

#include <algorithm>

namespace pinfold::backend::on_linux {

using std::string;

void weaken(Coverage& row, Strength strength, const string& gap, const string& fix) {
  row.strength = std::min(row.strength, strength);
  row.gap += (row.gap.empty() ? "" : "; ") + gap;
  if (row.fix.empty()) row.fix = fix;
}

void CoverageRows::add(const Step& step) {
  if (const auto* limit = std::get_if<LimitStep>(&step.body)) {
    rows_.push_back(limit_coverage(*limit, step.need, uid_, facts_.counting, cgroup_));
    return;
  }
  if (const auto* identity = std::get_if<Identity>(&step.body)) uid_ = identity->uid;
  const auto* guard = std::get_if<ProtectName>(&step.body);
  bool placeholder = guard != nullptr && guard->guard == NameGuard::kPlaceholder;
  // A placeholder file is protected like any file that exists.
  string name = placeholder ? step_name::kProtected : coverage_row(step);
  if (name.empty()) return;
  auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Coverage& row) { return row.step == name; });
  if (found == rows_.end()) {
    rows_.push_back(Coverage{name, Need::kBestEffort, Strength::kEnforced, "", "", ""});
    found = rows_.end() - 1;
    describe(*found, step);
  }
  if (step.need == Need::kRequired) found->need = Need::kRequired;
  if (guard != nullptr && !placeholder) assess_name_guard(*found);
  if (const auto* observe = std::get_if<Observe>(&step.body)) assess_observation(*found, *observe);
}

void CoverageRows::gap(const PlanGap& gap) {
  for (Coverage& row : rows_) {
    if (row.step != gap.step) continue;
    weaken(row, Strength::kPartial, gap.gap);
    if (gap.need == Need::kRequired) row.need = Need::kRequired;
    return;
  }
  rows_.push_back(Coverage{gap.step, gap.need, Strength::kPartial, "searched before the start", gap.gap, ""});
}

void CoverageRows::assess_name_guard(Coverage& row) const {
  row.strength = Strength::kPartial;
  if (facts_.why_no_listener.empty()) {
    row.mechanism = "the supervisor refuses trapped creations, and undoes one that it missed";
    row.gap = "a program that wins a race creates the name; Pinfold undoes it and ends the run";
  } else {
    row.mechanism = "the supervisor undoes creations";
    row.gap = "creations are undone, not prevented: " + facts_.why_no_listener;
  }
}

void CoverageRows::assess_observation(Coverage& row, const Observe& observe) const {
  const string& why_not = facts_.why_not_observed.empty() ? facts_.why_no_listener : facts_.why_not_observed;
  if (!why_not.empty()) {
    row.mechanism = "none: only denials that the command's error text shows are reported";
    return weaken(row, Strength::kAbsent, why_not, facts_.why_not_observed.empty() ? "" : "a kernel since 5.19");
  }
  row.mechanism = observe.mode == ObserveMode::kFull || facts_.asks
                      ? "seccomp: the supervisor reads each call that reads, writes, creates, connects or executes "
                        "before the kernel decides"
                      : "seccomp: the supervisor reads each call that writes, creates, connects or executes before the "
                        "kernel decides";
  if (observe.asks && facts_.asks) row.mechanism += "; a denied call waits for your decision";
  if (observe.asks && !facts_.asks)
    weaken(row, Strength::kPartial,
           "no approval requests during the run: a denied access can be granted for the next run");
}

namespace {

class NativeRows final : public CoverageRows {
 public:
  using CoverageRows::CoverageRows;

 private:
  string files() const { return facts().landlock_abi > 0 ? "mount namespace + Landlock" : "mount namespace"; }

  void describe(Coverage& row, const Step& step) const override {
    const string& name = row.step;
    if (name == step_name::kRead || name == step_name::kWrite)
      row.mechanism = files();
    else if (name == step_name::kHidden || name == step_name::kPatterns)
      row.mechanism = "masked in the mount namespace";
    else if (name == step_name::kProtected)
      row.mechanism = "read-only mounts; directories above them pinned";
    else if (name == step_name::kTmp)
      row.mechanism = "private tmpfs with a size";
    else if (name == step_name::kDevices)
      row.mechanism = "private /dev with six devices, own devpts";
    else if (name == step_name::kProcesses)
      row.mechanism = "pid, ipc, uts and cgroup namespaces; own /proc; no capabilities; own keyring";
    else if (name == step_name::kEnvironment)
      row.mechanism = "built from the allow-list";
    else if (name == step_name::kIdentity)
      row.mechanism = "user namespace, own ids only; no_new_privs";
    else if (name == step_name::kTerminal)
      row.mechanism = "new session, own pty";
    else if (name == step_name::kSystemCalls)
      row.mechanism = "seccomp: reviewed list, all else ENOSYS";
    else if (name == step_name::kNetwork)
      network(row, std::get<Network>(step.body).mode);
    else if (name == step_name::kExec)
      exec(row, std::get<ExecLimit>(step.body));
    else if (name == step_name::kGit)
      git(row);
  }

  void network(Coverage& row, NetworkMode mode) const {
    if (mode == NetworkMode::kDomains) {
      row.mechanism = kRelayMechanism;
      return;
    }
    if (facts().private_network) {
      row.mechanism = "network namespace with loopback only";
      return;
    }
    row.mechanism = "the host's network";
    if (facts().landlock_abi >= 6) {
      row.mechanism += "; Landlock blocks abstract sockets";
      return;
    }
    row.strength = Strength::kPartial;
    row.gap = "abstract unix sockets of the host can be reached";
    row.fix = "a kernel since 6.12, or --net none";
  }

  void exec(Coverage& row, const ExecLimit& limit) const {
    if (limit.mode == ExecMode::kAny) {
      row.mechanism = "every visible program may run";
      return;
    }
    row.mechanism = "noexec mounts, only allowed programs shown, Landlock execute rights, no memfd";
    if (limit.mode == ExecMode::kNone) row.mechanism += ", no fork";
    if (facts().landlock_abi > 0) return;
    row.strength = Strength::kPartial;
    row.gap = "programs inside library directories can be executed: " + facts().why_no_landlock;
    row.fix = "boot a kernel since 5.19 with landlock in its lsm= list";
  }

  void git(Coverage& row) const {
    row.strength = Strength::kPartial;
    row.mechanism = "new repositories are cleaned of hooks and executing configuration when the run ends";
    row.gap = "before the run ends, git on the host could execute them";
    if (!facts().why_no_listener.empty())
      row.gap += "; Pinfold searches only the top of each root: " + facts().why_no_listener;
  }
};

// Landlock, the second layer for files, has no step in the plan: native always adds it, best effort.
Coverage landlock_layer(const ConfinementFacts& facts) {
  Coverage row{step_name::kLandlock, Need::kBestEffort, Strength::kEnforced, "", "", ""};
  if (facts.landlock_abi > 0) {
    row.mechanism = "Landlock ABI " + std::to_string(facts.landlock_abi) + ", same paths and rights";
    if (facts.asks) {
      row.mechanism = "Landlock ABI " + std::to_string(facts.landlock_abi) + ", one rule for all mounted paths";
      weaken(row, Strength::kPartial, "its rules cannot grow with grants: files are confined by mounts alone");
    }
  } else {
    row.strength = Strength::kAbsent;
    row.mechanism = "none: mounts alone";
    row.gap = facts.why_no_landlock + "; files are confined by the mount namespace only";
    row.fix = "boot a kernel since 5.19 with landlock in its lsm= list";
  }
  return row;
}

}  // namespace

std::vector<Coverage> native_coverage(const Plan& plan, const ConfinementFacts& facts, const Cgroup& cgroup) {
  NativeRows rows(facts, cgroup);
  for (const Step& step : plan.steps) rows.add(step);
  rows.add(landlock_layer(facts));
  for (const PlanGap& gap : plan.gaps) rows.gap(gap);
  return std::move(rows).take();
}

}  // namespace pinfold::backend::on_linux
