// describe.cc: the plan as text, one aligned line for each step.
// Invariant: one line for any name; values of variables are never printed.
// Not here: coverage.
#include <algorithm>

#include "base/domain.h"
#include "base/text.h"
#include "base/units.h"
#include "pinfold/plan.h"

namespace pinfold {
namespace {

using std::string_view;
using text::shown;

constexpr std::size_t kVerbWidth = 14;

struct StepText {
  string_view verb;
  std::string details;
};

std::string words(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& one : list) out += (out.empty() ? "" : " ") + shown(one);
  return out;
}

string_view view_word(View view) {
  switch (view) {
    case View::kRead: return "read";
    case View::kReadExec: return "read-exec";
    case View::kWrite: return "write";
    case View::kWriteExec: return "write-exec";
  }
  return "";
}

std::string limit_words(const LimitStep& limit) {
  const auto time = [&] {
    return units::format_duration(std::chrono::milliseconds(static_cast<std::int64_t>(limit.amount)));
  };
  switch (limit.kind) {
    case LimitKind::kWallTime: return "time " + time();
    case LimitKind::kMemory: return "memory " + units::format_size(limit.amount);
    case LimitKind::kProcesses: return "processes " + std::to_string(limit.amount);
    case LimitKind::kCpuTime: return "cpu time " + time();
    case LimitKind::kFileSize: return "file size " + units::format_size(limit.amount);
    case LimitKind::kOutputSize: return "output " + units::format_size(limit.amount);
  }
  return {};
}

struct StepFormatter {
  StepText operator()(const ShowPath& s) const {
    std::string details = shown(s.at) + " " + std::string(view_word(s.view));
    if (s.host != s.at) details += " from " + shown(s.host);
    if (s.ensure == Ensure::kCreate) details += " (made when missing)";
    return {"show", std::move(details)};
  }
  StepText operator()(const HidePath& s) const {
    return {"hide", shown(s.at) + (s.pattern.empty() ? "" : " by pattern " + shown(s.pattern)) +
                        (s.pins.empty() ? "" : " pinning " + words(s.pins))};
  }
  StepText operator()(const ProtectPath& s) const {
    return {"protect", shown(s.at) + (s.pins.empty() ? "" : " pinning " + words(s.pins))};
  }
  StepText operator()(const ProtectName& s) const {
    return {"protect-name", shown(s.name) + " in " + shown(s.parent) +
                                (s.guard == NameGuard::kPlaceholder ? " by placeholder" : " by trapped calls")};
  }
  StepText operator()(const CleanGit& s) const {
    return {"clean-git", shown(s.root) + (s.had_git ? " (is a repository)" : " (no repository yet)") +
                             (s.always ? ", every directory" : "")};
  }
  StepText operator()(const MakeDirectory& s) const { return {"make-dir", shown(s.at)}; }
  StepText operator()(const MakeLink& s) const { return {"make-link", shown(s.at) + " -> " + shown(s.target)}; }
  StepText operator()(const MakeFile& s) const {
    return {"make-file", shown(s.at) + " (" + std::to_string(s.content.size()) + " bytes)"};
  }
  StepText operator()(const PrivateTmp& s) const {
    return {"private-tmp",
            words(s.at) + ", " + units::format_size(s.size) + (s.exec ? "" : ", nothing in it executes")};
  }
  StepText operator()(const Devices&) const { return {"devices", "null zero full random urandom tty ptmx"}; }
  StepText operator()(const Processes& s) const {
    return {"processes", s.pid == PidMode::kPrivate ? "the sandbox's only" : "the host's as well"};
  }
  StepText operator()(const Network& s) const {
    if (s.mode == NetworkMode::kNone) return {"network", "none"};
    if (s.mode == NetworkMode::kFull) return {"network", "full"};
    std::string rules;
    for (const DomainRule& rule : s.domains) rules += " " + print_rule(rule);
    return {"network", "domains" + rules};
  }
  StepText operator()(const ExecLimit& s) const {
    if (s.mode == ExecMode::kAny) return {"exec", "any"};
    const std::string programs = s.programs.empty() ? "" : " " + words(s.programs);
    return {"exec", (s.mode == ExecMode::kNone ? "no children;" : "only") + programs};
  }
  StepText operator()(const Environment& s) const {
    std::string names;
    for (const Variable& variable : s.variables) names += (names.empty() ? "" : " ") + shown(variable.name);
    return {"environment", std::move(names)};
  }
  StepText operator()(const LimitStep& s) const { return {"limit", limit_words(s)}; }
  StepText operator()(const Identity& s) const {
    return {"identity", "uid " + std::to_string(s.uid) + " gid " + std::to_string(s.gid)};
  }
  StepText operator()(const Terminal& s) const {
    return {"terminal", s.session == SessionMode::kNew ? "a session of its own" : "the caller's session"};
  }
  StepText operator()(const Observe& s) const {
    return {"observe",
            std::string(observe_word(s.mode)) + (s.asks ? ", and ask" : "") + (s.as_if ? ", by another plan" : "")};
  }
  StepText operator()(const SystemCalls& step) const {
    return {"system-calls", step.debuggers == Debuggers::kAllowed
                                ? "reviewed list; all others return ENOSYS; programs may trace each other"
                                : "reviewed list; all others return ENOSYS"};
  }
};

}  // namespace

std::string describe(const Step& step) {
  const StepText line = std::visit(StepFormatter{}, step.body);
  std::string out(line.verb);
  out.resize(std::max(kVerbWidth, out.size() + 1), ' ');
  out += line.details;
  if (!step.origin.where.empty()) out += "  [" + shown(step.origin.where) + "]";
  if (step.need == Need::kBestEffort) out += " best effort";
  return out;
}

std::string describe(const Plan& plan) {
  std::string out;
  for (const Step& step : plan.steps) out += describe(step) + "\n";
  for (const PlanGap& gap : plan.gaps) {
    std::string verb = "gap";
    verb.resize(kVerbWidth, ' ');
    out += verb + gap.step + ": " + shown(gap.gap) + (gap.need == Need::kBestEffort ? " best effort" : "") + "\n";
  }
  for (const HideNames& names : plan.names) {
    std::string verb = "hide-names";
    verb.resize(kVerbWidth, ' ');
    out += verb + shown(names.glob) + " below " + shown(names.root) + "\n";
  }
  std::string verb = "start-in";
  verb.resize(kVerbWidth, ' ');
  return out + verb + shown(plan.working_dir) + "\n";
}

}  // namespace pinfold
