// coverage.cc: strength, mechanism and gap of each step on macOS; docs/reference/macos.md describes the mechanisms.
// Invariant: a step that this file does not know is absent. Not here: the profile (sbpl.cc).
#include "backend/darwin/coverage.h"

#include <algorithm>

namespace pinfold::backend::darwin {
namespace {

using std::string;

void put(Coverage& row, Strength strength, const char* mechanism, const char* gap = "", const char* fix = "") {
  row.strength = strength;
  row.mechanism = mechanism;
  row.gap = gap;
  row.fix = fix;
}

constexpr const char* kProfile = "Seatbelt profile";
constexpr const char* kNoLimit = "macOS has no limit for a tree of processes";

void network(Coverage& row, const Network& step) {
  if (step.mode == NetworkMode::kFull)
    put(row, Strength::kEnforced, "the host's network; no unix sockets but that of the name service");
  else if (step.reaches_nothing())
    put(row, Strength::kEnforced, "Seatbelt profile: no sockets");
  else
    put(row, Strength::kEnforced,
        "Seatbelt profile: only the run's proxy on loopback, which connects to granted destinations (HTTP and SOCKS5)");
}

void describe(Coverage& row, const Step& step) {
  const string& name = row.step;
  if (const auto* one = std::get_if<Network>(&step.body)) return network(row, *one);
  if (name == step_name::kRead || name == step_name::kWrite || name == step_name::kHidden ||
      name == step_name::kPatterns || name == step_name::kProtected || name == step_name::kDevices ||
      name == step_name::kExec)
    return put(row, Strength::kEnforced, kProfile);
  if (name == step_name::kProtectedNew)
    return put(row, Strength::kEnforced, "Seatbelt profile: the names cannot be made, in any spelling");
  if (name == step_name::kTmp) {
    // The requirement holds: the command sees no temporary files of other programs. No rule asked for a size limit (one
    // that --memory asks for has its own row, which refuses): the gap is reported, and does not refuse the run.
    row.need = Need::kBestEffort;
    return put(row, Strength::kPartial, "a private directory in TMPDIR, removed after the run; /tmp is out of reach",
               "its size is not bounded");
  }
  if (name == step_name::kProcesses)
    return put(row, Strength::kEnforced,
               "Seatbelt profile: no signals to other processes, and no information about them");
  if (name == step_name::kEnvironment)
    return put(row, Strength::kEnforced, "built from the allow-list; HOME and TMPDIR are private directories");
  if (name == step_name::kIdentity)
    return put(row, Strength::kEnforced, "own ids; programs with the set-id bit do not start in a sandbox");
  if (name == step_name::kTerminal) return put(row, Strength::kEnforced, "new session, own pty");
  if (name == step_name::kSystemCalls)
    return put(row, Strength::kEnforced, "Seatbelt profile: every operation that it does not name is denied");
  if (name == step_name::kOutputSize) return put(row, Strength::kEnforced, "counted by the supervisor");
  if (name == step_name::kFileSize) return put(row, Strength::kEnforced, "RLIMIT_FSIZE");
  if (name == step_name::kObserve)
    return put(row, Strength::kPartial, "the system's log",
               "denials at the start may be missing; a denied call cannot wait for a decision");
  if (name == step_name::kWallTime)
    return put(row, Strength::kPartial, "the process group and all children are ended",
               "a process that has left both lives on, inside its sandbox");
  if (name == step_name::kCpuTime)
    return put(row, Strength::kPartial, "RLIMIT_CPU, and the tree is watched", "each process has the limit for itself");
  if (name == step_name::kMemory)
    return put(row, Strength::kPartial, "the tree is watched", "memory is checked every 20 ms, not limited");
  if (name == step_name::kProcessCount) return put(row, Strength::kAbsent, "none", kNoLimit);
  if (name == step_name::kGit)
    return put(row, Strength::kAbsent, "none", "new repositories are not cleaned of hooks and executing configuration");
  put(row, Strength::kAbsent, "none", "not known to this backend");
}

}  // namespace

std::vector<Coverage> seatbelt_coverage(const Plan& plan) {
  std::vector<Coverage> rows;
  const auto find = [&](const string& name) {
    return std::find_if(rows.begin(), rows.end(), [&](const Coverage& row) { return row.step == name; });
  };
  for (const Step& step : plan.steps) {
    const string name = coverage_row(step);
    if (name.empty()) continue;
    const auto found = find(name);
    if (found != rows.end()) {
      if (step.need == Need::kRequired) found->need = Need::kRequired;
      continue;
    }
    Coverage row{name, step.need, Strength::kAbsent, "", "", ""};
    describe(row, step);
    rows.push_back(std::move(row));
  }
  for (const PlanGap& gap : plan.gaps) {
    auto found = find(gap.step);
    if (found == rows.end())
      found = rows.insert(rows.end(), Coverage{gap.step, gap.need, Strength::kPartial, kProfile, "", ""});
    if (gap.need == Need::kRequired) found->need = Need::kRequired;
    found->strength = std::min(found->strength, Strength::kPartial);
    found->gap += (found->gap.empty() ? "" : "; ") + gap.gap;
  }
  return rows;
}

}  // namespace pinfold::backend::darwin
