// coverage.cc: one coverage row for each step.
// Invariant: every step kind has its own describe(); a weakened row never gets stronger.
// Not here: refusing a run (pinfold/coverage.h).
#include "backend/windows/coverage.h"

#include <algorithm>

#include "base/paths.h"

namespace pinfold::backend::on_windows {
namespace {

using std::string;

class Rows {
 public:
  Rows(const Plan& plan, const AclPlan& acl, const WindowsFacts& facts) : acl_(acl), facts_(facts) {
    for (const Step& step : plan.steps)
      if (const auto* show = std::get_if<ShowPath>(&step.body)) shown_.push_back(show->at);
  }

  void add(const Step& step) {
    const string name = coverage_row(step);
    if (name.empty()) return;
    Coverage& row = find(name, step.need);
    std::visit([&](const auto& body) { describe(row, body); }, step.body);
    if (!facts_.no_container.empty() && needs_container(name))
      weaken(row, Strength::kAbsent, facts_.no_container, "Windows 8 or newer");
  }
  void add(const PlanGap& gap) { weaken(find(gap.step, gap.need), Strength::kPartial, gap.gap, ""); }

  std::vector<Coverage> take() && { return std::move(rows_); }

 private:
  Coverage& find(const string& name, Need need) {
    for (Coverage& row : rows_)
      if (row.step == name) {
        if (need == Need::kRequired) row.need = need;
        return row;
      }
    rows_.push_back({name, need, Strength::kEnforced, "", "", ""});
    return rows_.back();
  }
  static void weaken(Coverage& row, Strength to, const string& gap, const string& fix) {
    if (row.strength < to) return;
    if (row.strength > to || row.gap.empty()) {
      row.gap = gap;
      row.fix = fix;
    } else if (row.gap.find(gap) == string::npos) {
      row.gap += "; " + gap;
    }
    row.strength = to;
    if (to == Strength::kAbsent) row.mechanism = "none";
  }
  static bool needs_container(const string& name) {
    return name != step_name::kEnvironment && name != step_name::kTerminal && name != step_name::kObserve &&
           name != step_name::kSystemCalls && !name.starts_with("limit.");
  }
  static string first_of(const std::vector<string>& paths) {
    return paths.size() == 1 ? paths[0] : paths[0] + " and " + std::to_string(paths.size() - 1) + " more";
  }

  void describe(Coverage& row, const ShowPath& show) const {
    const bool writes = show.view == View::kWrite || show.view == View::kWriteExec;
    row.mechanism =
        writes ? "AppContainer: its SID may write granted paths" : "AppContainer: its SID may read granted paths";
    if (writes) return;
    // Pinfold cannot close to one container a directory that Windows opens to all: a rule must grant it.
    for (const string& root : facts_.system)
      if (std::none_of(shown_.begin(), shown_.end(), [&](const string& at) { return paths::at_or_beneath(root, at); }))
        weaken(row, Strength::kPartial,
               root + " can be read, though no rule grants it: Windows opens it to every container", "--read " + root);
  }
  void describe(Coverage& row, const HidePath& hide) const {
    row.mechanism = "not granted; inside a granted directory, it inherits no access list";
    if (std::find(acl_.cannot_hide.begin(), acl_.cannot_hide.end(), hide.at) != acl_.cannot_hide.end())
      weaken(row, Strength::kAbsent, hide.at + " lies in a directory that Windows opens to every container", "");
    else
      weaken(row, Strength::kPartial, "names can be seen in a granted directory, contents cannot", "");
  }
  static void describe(Coverage& row, const ProtectPath&) {
    row.mechanism = "inherits no access list, read-only; directories above it may not be moved";
  }
  static void describe(Coverage& row, const ProtectName& name) {
    weaken(
        row, Strength::kAbsent,
        paths::join(name.parent, name.name) + " can be created: an access list cannot name a file that does not exist",
        "create it before the run: existing files are protected");
  }
  static void describe(Coverage& row, const CleanGit&) {
    weaken(row, Strength::kAbsent, "new repositories are not cleaned of hooks on Windows", "");
  }
  static void describe(Coverage& row, const PrivateTmp&) {
    row.mechanism = "the container's own folder, in TEMP and TMP; removed after the run";
  }
  static void describe(Coverage& row, const Devices&) {
    row.mechanism = "AppContainer: devices are opened only where their access list names containers";
  }
  static void describe(Coverage& row, const Processes& processes) {
    row.mechanism = "AppContainer, low integrity: no access to processes outside; one job";
    if (processes.pid == PidMode::kPrivate)
      weaken(row, Strength::kPartial, "the names of other processes can be seen, they cannot be opened", "");
  }
  static void describe(Coverage& row, const Network& network) {
    if (network.reaches_nothing())
      row.mechanism = "AppContainer without a network capability";
    else if (network.mode == NetworkMode::kFull)
      row.mechanism = "capabilities internetClient and privateNetworkClientServer; loopback stays closed";
    else
      weaken(row, Strength::kAbsent, "a container reaches all hosts or none",
             "--net none, or --net full where every name may be reached");
  }
  void describe(Coverage& row, const ExecLimit& exec) const {
    if (exec.mode == ExecMode::kAny) {
      row.mechanism = "every program that can be read may run";
    } else if (exec.mode == ExecMode::kNone) {
      row.mechanism = "child process policy; the job holds one process";
      if (!facts_.no_child_policy.empty())
        weaken(row, Strength::kAbsent, facts_.no_child_policy, "Windows 10 or newer");
    } else {
      weaken(row, Strength::kAbsent, "Windows cannot hold a container to a list of programs", "--exec none or any");
    }
  }
  static void describe(Coverage& row, const Environment&) { row.mechanism = "built from the allow-list"; }
  static void describe(Coverage& row, const LimitStep& limit) {
    switch (limit.kind) {
      case LimitKind::kWallTime: row.mechanism = "the job is ended"; return;
      case LimitKind::kMemory: row.mechanism = "job object: committed memory; the job is ended"; return;
      case LimitKind::kCpuTime: row.mechanism = "the job's time is checked every 50 ms; the job is ended"; return;
      case LimitKind::kProcesses:
        row.mechanism = "job object: active processes";
        weaken(row, Strength::kPartial, "threads are not counted", "");
        return;
      case LimitKind::kFileSize: weaken(row, Strength::kAbsent, "Windows has no limit for one file", ""); return;
      case LimitKind::kOutputSize:
        weaken(row, Strength::kAbsent, "the command writes to the caller's own streams", "");
        return;
    }
  }
  static void describe(Coverage& row, const Identity&) {
    row.mechanism = "restricted token: no privileges, administrators only for denying; low integrity";
  }
  void describe(Coverage& row, const Terminal& terminal) const {
    row.mechanism = facts_.streams == Streams::kConsole ? "the caller's console" : "an invisible console of its own";
    if (terminal.session == SessionMode::kNew && facts_.streams == Streams::kConsole)
      weaken(row, Strength::kPartial, "the command can type into the caller's console",
             "give it other streams: pinfold run … < NUL 2>&1 | more");
  }
  static void describe(Coverage& row, const SystemCalls&) {
    weaken(row, Strength::kAbsent, "Windows has no filter for system calls", "");
  }
  static void describe(Coverage& row, const Observe&) {
    weaken(row, Strength::kAbsent, "denials are not observed on Windows", "");
  }
  static void describe(Coverage&, const MakeDirectory&) {}
  static void describe(Coverage&, const MakeLink&) {}
  static void describe(Coverage&, const MakeFile&) {}

  const AclPlan& acl_;
  const WindowsFacts& facts_;
  std::vector<string> shown_;
  std::vector<Coverage> rows_;
};

}  // namespace

std::vector<Coverage> windows_coverage(const Plan& plan, const AclPlan& acl, const WindowsFacts& facts) {
  Rows rows(plan, acl, facts);
  for (const Step& step : plan.steps) rows.add(step);
  for (const PlanGap& gap : plan.gaps) rows.add(gap);
  return std::move(rows).take();
}

}  // namespace pinfold::backend::on_windows
