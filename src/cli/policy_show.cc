// policy_show.cc: `pinfold policy show`: prints every rule with its origin.
// Invariant: prints the Scope that `pinfold run` with the same flags would use; prints values of variables only with
// --toml. Not here: deciding (policy), one path (policy_why.cc).
#include <unistd.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/domain.h"
#include "base/try.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "policy/print.h"
#include "report/render.h"
#include "report/table.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using report::Cell;
using report::Paint;
using report::visible;
using Rows = std::vector<std::vector<Cell>>;

void row(Rows& rows, std::string_view what, std::string_view subject, const Origin& origin) {
  rows.push_back({{visible(what)}, {visible(subject)}, {visible(origin.where), Paint::kDim}});
}

std::string_view word(Access access) {
  switch (access) {
    case Access::kRead: return "read";
    case Access::kWrite: return "write";
    case Access::kHide: break;
  }
  return "hide";
}

std::string_view word(NetworkMode mode) {
  switch (mode) {
    case NetworkMode::kFull: return "full";
    case NetworkMode::kDomains: return "domains";
    case NetworkMode::kNone: break;
  }
  return "none";
}

// "*.example.org, ports 80 and 443".
std::string network_text(const DomainRule& rule) {
  std::string text = print_rule(rule).substr(rule.action == RuleAction::kDeny ? 1 : 0);
  if (rule.ports.size() == 1) return text;
  return text + (rule.ports.empty() ? ", every port" : ", ports 80 and 443");
}

std::string exec_text(const ExecRule& rule) {
  if (rule.mode == ExecMode::kAny) return "any";
  if (rule.mode == ExecMode::kNone) return "none";
  std::string out;
  for (const std::string& command : rule.commands) out += (out.empty() ? "" : " ") + command;
  return out;
}

void limit_rows(Rows& rows, const Limits& limits) {
  if (limits.wall_time)
    row(rows, "limit time", units::format_duration(limits.wall_time->value), limits.wall_time->origin);
  if (limits.memory) row(rows, "limit memory", units::format_size(limits.memory->value), limits.memory->origin);
  if (limits.processes)
    row(rows, "limit processes", fmt::format("{}", limits.processes->value), limits.processes->origin);
  if (limits.cpu_time) row(rows, "limit cpu", units::format_duration(limits.cpu_time->value), limits.cpu_time->origin);
  if (limits.file_size)
    row(rows, "limit file size", units::format_size(limits.file_size->value), limits.file_size->origin);
  if (limits.output_size)
    row(rows, "limit output", units::format_size(limits.output_size->value), limits.output_size->origin);
}

std::string_view word(OnUnavailable answer) {
  switch (answer) {
    case OnUnavailable::kPrompt: return "prompt";
    case OnUnavailable::kWarn: return "warn";
    case OnUnavailable::kDeny: break;
  }
  return "deny";
}

Rows all_rows(const settings::LoadedPolicy& loaded, const policy::Scope& scope) {
  const Policy& policy = scope.policy();
  Rows rows;
  row(rows, "profile",
      policy.custom.empty() ? policy.profile : fmt::format("{} (on top of {})", policy.custom, policy.profile),
      loaded.chosen);
  for (const std::string& workspace : scope.workspaces()) rows.push_back({{"workspace"}, {visible(workspace)}});
  for (const auto& file : {loaded.user, loaded.project})
    if (file) rows.push_back({{"file"}, {visible(file->path)}});
  rows.push_back({{}});
  for (const policy::ScopeRule& rule : scope.rules()) {
    std::string subject = rule.path;
    if (!rule.given.empty() && rule.given != rule.path) subject += " (given as " + rule.given + ")";
    row(rows, word(rule.access), subject, rule.origin);
  }
  for (const HidePattern& pattern : policy.patterns) row(rows, "hide pattern", pattern.glob, pattern.origin);
  for (const ProtectRule& rule : policy.protect) row(rows, "protect", rule.name, rule.origin);
  row(rows, "home", policy.home == HomeMode::kHidden ? "hidden, but for toolchains and private caches" : "the host's",
      policy.home_origin);
  row(rows, "tmp", policy.tmp == TmpMode::kPrivate ? "private" : "the host's", policy.tmp_origin);
  rows.push_back({{}});
  row(rows, "network", word(policy.network.mode), policy.network.origin);
  for (const DomainRule& rule : policy.network.domains)
    row(rows, rule.action == RuleAction::kDeny ? "  deny" : "  reach", network_text(rule), rule.origin);
  for (const HostAddresses& one : policy.hosts) row(rows, "  resolve", print_hosts(one), one.origin);
  row(rows, "exec", exec_text(policy.exec), policy.exec.origin);
  row(rows, "processes", policy.pid == PidMode::kPrivate ? "private" : "the host's", policy.pid_origin);
  row(rows, "debuggers", policy.debuggers == Debuggers::kAllowed ? "allowed" : "refused", policy.debuggers_origin);
  row(rows, "terminal", policy.session == SessionMode::kNew ? "a session of its own" : "the caller's session",
      policy.session_origin);
  // A value can be a secret: print only whether there is one.
  for (const EnvRule& rule : policy.environment)
    row(rows, rule.value ? "set variable" : "variable", rule.name, rule.origin);
  limit_rows(rows, policy.limits);
  row(rows, "observe", observe_word(policy.observe), policy.observe_origin);
  row(rows, "ignored files", ignored_word(policy.ignored), policy.ignored_origin);
  row(rows, "absolute paths", policy.absolute_paths == AbsolutePaths::kAccepted ? "accepted" : "refused",
      policy.absolute_paths_origin);
  row(rows, "on a gap", word(policy.on_unavailable), policy.on_unavailable_origin);
  return rows;
}

Result<std::string> answer(const CommandLine& parsed, Context& context) {
  if (!parsed.words.empty())
    return fail(ErrorKind::kInvalid, "policy show takes no arguments", "for one path: pinfold policy why PATH");
  if (has_flag(parsed, Id::kJson) && has_flag(parsed, Id::kToml))
    return fail(ErrorKind::kInvalid, "--json and --toml are both given", "keep one of them");
  PF_TRY(caller, sys::find_caller(context.host));
  PF_TRY(read, load_scope(parsed, caller, context.host));
  if (has_flag(parsed, Id::kJson)) return policy::to_json(read.loaded.policy);
  if (has_flag(parsed, Id::kToml)) return policy::to_toml(read.loaded.policy);
  return report::table(all_rows(read.loaded, read.scope), 0, colour_for(STDOUT_FILENO, context.host));
}

}  // namespace

int policy_show(const CommandLine& parsed, Context& context) {
  auto text = answer(parsed, context);
  if (!text) return complain(text.error(), context.host);
  print(STDOUT_FILENO, *text);
  return 0;
}

}  // namespace pinfold::cli
