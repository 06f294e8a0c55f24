// coverage.cc: rows of the landlock backend: its mechanisms, and every gap that a namespace would close.
#include "backend/linux/landlock/coverage.h"

#include "backend/linux/lower/steps.h"

namespace pinfold::backend::on_linux {
namespace {

using std::string;

constexpr const char* kNamespaces =
    "use the native or the bubblewrap backend; if neither starts: pinfold doctor --fix-hints";

string first_of(const std::vector<string>& paths) {
  if (paths.size() == 1) return paths.front();
  return paths.front() + " and " + std::to_string(paths.size() - 1) + " more";
}

class LandlockRows final : public CoverageRows {
 public:
  LandlockRows(const ConfinementFacts& facts, const LandlockFacts& landlock, const Cgroup& cgroup)
      : CoverageRows(facts, cgroup), rules_(landlock.rules), tcp_(landlock.tcp) {}

 private:
  bool has_listener() const { return facts().why_no_listener.empty(); }

  void describe(Coverage& row, const Step& step) const override {
    const string& name = row.step;
    if (name == step_name::kRead)
      read(row);
    else if (name == step_name::kWrite)
      write(row);
    else if (name == step_name::kHidden)
      hidden(row, rules_.open_hidden);
    else if (name == step_name::kPatterns)
      hidden(row, rules_.open_patterns);
    else if (name == step_name::kProtected)
      protect(row);
    else if (name == step_name::kTmp) {
      row.mechanism = "a private directory on the host, in TMPDIR, removed after the run";
      weaken(row, Strength::kPartial,
             "access to /tmp, /var/tmp and /dev/shm is denied; the size of TMPDIR is not bounded", kNamespaces);
    } else if (name == step_name::kDevices)
      row.mechanism = "Landlock: six devices and new terminals";
    else if (name == step_name::kProcesses)
      processes(row);
    else if (name == step_name::kEnvironment)
      row.mechanism = "built from the allow-list; HOME and TMPDIR are private directories";
    else if (name == step_name::kIdentity)
      row.mechanism = "own ids, no capabilities, no_new_privs";
    else if (name == step_name::kTerminal)
      row.mechanism = "new session, own pty";
    else if (name == step_name::kSystemCalls)
      row.mechanism = "seccomp: reviewed list, all else ENOSYS";
    else if (name == step_name::kNetwork)
      network(row, std::get<Network>(step.body));
    else if (name == step_name::kExec)
      exec(row, std::get<ExecLimit>(step.body));
    else if (name == step_name::kGit)
      git(row);
  }

  string abi() const { return "Landlock ABI " + std::to_string(facts().landlock_abi); }

  void read(Coverage& row) const {
    row.mechanism = abi();
    weaken(row, Strength::kPartial, "names, sizes and times outside can be seen, contents cannot", kNamespaces);
    if (!rules_.not_made.empty())
      weaken(row, Strength::kPartial,
             "the command sees the host's " + first_of(rules_.not_made) + ", not the generated one");
  }

  void write(Coverage& row) const {
    row.mechanism = abi() + (has_listener() ? "; modes, owners, times and attributes changed by the supervisor"
                                            : "; modes, owners, times and attributes cannot be changed at all");
    if (!rules_.no_new_names.empty())
      weaken(row, Strength::kPartial,
             "no new names directly in " + first_of(rules_.no_new_names) +
                 ": one of Pinfold's own directories is below it",
             kNamespaces);
  }

  void hidden(Coverage& row, const std::vector<string>& open) const {
    row.mechanism = "left out of Landlock's rules";
    weaken(row, Strength::kPartial, "names can be seen, contents cannot", kNamespaces);
    if (!open.empty())
      weaken(row, Strength::kAbsent, first_of(open) + " can be read: it lies in a writable directory", kNamespaces);
  }

  void protect(Coverage& row) const {
    if (has_listener()) {
      row.mechanism = "the supervisor refuses trapped writes";
      weaken(row, Strength::kPartial,
             "a program that changes names at the right moment can write to " + protected_paths(), kNamespaces);
    } else {
      row.mechanism = "none";
      weaken(row, Strength::kAbsent, protected_paths() + " can be written: " + facts().why_no_listener, kNamespaces);
    }
  }
  string protected_paths() const { return rules_.guarded_only.empty() ? "them" : first_of(rules_.guarded_only); }

  void processes(Coverage& row) const {
    row.mechanism = "Landlock: no tracing, no memory of others";
    if (facts().landlock_abi >= 6)
      row.mechanism += ", no signals to them";
    else if (has_listener())
      row.mechanism += "; the supervisor refuses trapped signals to them";
    weaken(row, Strength::kPartial, "other processes and their arguments can be seen in /proc", kNamespaces);
    if (facts().landlock_abi < 6 && !has_listener())
      weaken(row, Strength::kPartial, "this user's other processes can be signalled: " + facts().why_no_listener,
             "a kernel since 6.12");
  }

  void network(Coverage& row, const Network& step) const {
    if (tcp_ == TcpAccess::kProxyOnly) {
      row.mechanism =
          "seccomp: no sockets but connected pairs and TCP, which the supervisor connects: to the run's "
          "proxy on loopback, which connects to granted destinations (HTTP and SOCKS5)";
      if (facts().landlock_abi >= 4) row.mechanism += "; Landlock: no TCP otherwise";
      if (!has_listener())
        weaken(row, Strength::kAbsent, "granted destinations cannot be reached either: " + facts().why_no_listener,
               kNamespaces);
      return;
    }
    if (step.reaches_nothing()) {
      row.mechanism = "seccomp: no sockets but " + unix_sockets();
      return;
    }
    row.mechanism = "the host's network; no unix sockets but " + unix_sockets();
  }

  string unix_sockets() const {
    return facts().landlock_abi >= 9 ? "unix sockets of its own (Landlock)" : "connected pairs";
  }

  void exec(Coverage& row, const ExecLimit& step) const {
    if (step.mode == ExecMode::kAny) {
      row.mechanism = "every program that can be read may run";
      return;
    }
    row.mechanism = step.mode == ExecMode::kNone ? "Landlock execute rights, no fork, no memfd"
                                                 : "Landlock execute rights, no memfd";
    weaken(row, Strength::kPartial, "the dynamic loader runs any program that can be read", kNamespaces);
  }

  void git(Coverage& row) const {
    row.mechanism = "new repositories are cleaned of hooks and executing configuration when the run ends";
    weaken(row, Strength::kPartial, "before the run ends, git on the host could execute them");
    if (!has_listener())
      weaken(row, Strength::kPartial, "Pinfold searches only the top of each root: " + facts().why_no_listener);
  }

  const Rules& rules_;
  TcpAccess tcp_;
};

// Stricter than the policy: programs with servers of their own notice.
Coverage inside(const ConfinementFacts& facts, TcpAccess tcp) {
  Coverage row{step_name::kNetworkInside, Need::kBestEffort, Strength::kAbsent, "none", "", kNamespaces};
  row.gap = "programs inside cannot reach each other over loopback";
  if (facts.landlock_abi >= 9 && tcp != TcpAccess::kProxyOnly) {
    row.strength = Strength::kPartial;
    row.mechanism = "unix sockets";
  } else {
    row.gap += " or unix sockets";
  }
  if (tcp == TcpAccess::kProxyOnly) row.gap += "; programs that know no proxy reach nothing";
  return row;
}

bool has_no_network(const Plan& plan) {
  const auto* network = find_step<Network>(plan);
  return network == nullptr || network->reaches_nothing();
}

}  // namespace

std::vector<Coverage> landlock_coverage(const Plan& plan, const ConfinementFacts& facts, const LandlockFacts& landlock,
                                        const Cgroup& cgroup) {
  LandlockRows rows(facts, landlock, cgroup);
  for (const Step& step : plan.steps) rows.add(step);
  if (landlock.tcp == TcpAccess::kProxyOnly || has_no_network(plan)) rows.add(inside(facts, landlock.tcp));
  for (const PlanGap& gap : plan.gaps) rows.gap(gap);
  return std::move(rows).take();
}

}  // namespace pinfold::backend::on_linux
