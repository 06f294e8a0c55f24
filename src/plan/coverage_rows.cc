// coverage_rows.cc: which coverage row reports which step.
// Invariant: every step that enforces something has a row.
// Not here: how well it is enforced (backend).
#include "pinfold/coverage.h"

namespace pinfold {
namespace {

const char* limit_row(LimitKind kind) {
  switch (kind) {
    case LimitKind::kWallTime: return step_name::kWallTime;
    case LimitKind::kMemory: return step_name::kMemory;
    case LimitKind::kProcesses: return step_name::kProcessCount;
    case LimitKind::kCpuTime: return step_name::kCpuTime;
    case LimitKind::kFileSize: return step_name::kFileSize;
    case LimitKind::kOutputSize: return step_name::kOutputSize;
  }
  return "";
}

struct Row {
  const char* operator()(const ShowPath& show) const {
    return show.view == View::kWrite || show.view == View::kWriteExec ? step_name::kWrite : step_name::kRead;
  }
  const char* operator()(const HidePath& hide) const {
    return hide.pattern.empty() ? step_name::kHidden : step_name::kPatterns;
  }
  const char* operator()(const ProtectPath&) const { return step_name::kProtected; }
  const char* operator()(const ProtectName&) const { return step_name::kProtectedNew; }
  const char* operator()(const CleanGit&) const { return step_name::kGit; }
  const char* operator()(const MakeDirectory&) const { return ""; }
  const char* operator()(const MakeLink&) const { return ""; }
  const char* operator()(const MakeFile&) const { return ""; }
  const char* operator()(const PrivateTmp&) const { return step_name::kTmp; }
  const char* operator()(const Devices&) const { return step_name::kDevices; }
  const char* operator()(const Processes&) const { return step_name::kProcesses; }
  const char* operator()(const Network&) const { return step_name::kNetwork; }
  const char* operator()(const ExecLimit&) const { return step_name::kExec; }
  const char* operator()(const Environment&) const { return step_name::kEnvironment; }
  const char* operator()(const LimitStep& limit) const { return limit_row(limit.kind); }
  const char* operator()(const Identity&) const { return step_name::kIdentity; }
  const char* operator()(const Terminal&) const { return step_name::kTerminal; }
  const char* operator()(const Observe&) const { return step_name::kObserve; }
  const char* operator()(const SystemCalls&) const { return step_name::kSystemCalls; }
};

}  // namespace

std::string coverage_row(const Step& step) { return std::visit(Row{}, step.body); }

std::vector<Coverage> gaps_that_refuse(const std::vector<Coverage>& rows) {
  std::vector<Coverage> out;
  for (const Coverage& row : rows)
    if (row.need == Need::kRequired && row.strength != Strength::kEnforced) out.push_back(row);
  return out;
}

}  // namespace pinfold
