// compile.cc: policy → plan: the table of contents of a plan.
// Invariant: steps come in one fixed order; path steps are shallow to deep.
// Not here: the parts (shows.cc, home.cc, environment.cc, exec.cc, search.cc).
#include "plan/compile.h"

#include <algorithm>

#include "base/address.h"
#include "base/glob.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "pinfold/coverage.h"
#include "plan/draft.h"

namespace pinfold::plan {
namespace {

const std::string& place_of(const Step& step) {
  static const std::string none;
  if (const auto* show = std::get_if<ShowPath>(&step.body)) return show->at;
  if (const auto* hide = std::get_if<HidePath>(&step.body)) return hide->at;
  if (const auto* directory = std::get_if<MakeDirectory>(&step.body)) return directory->at;
  if (const auto* link = std::get_if<MakeLink>(&step.body)) return link->at;
  if (const auto* file = std::get_if<MakeFile>(&step.body)) return file->at;
  return none;
}

// ProtectPath, then ProtectName, then CleanGit.
constexpr int kGuardKinds = 3;
int guard_order(const Step& step) {
  if (std::holds_alternative<ProtectPath>(step.body)) return 0;
  return std::holds_alternative<ProtectName>(step.body) ? 1 : 2;
}

// The directory in which the command starts: canonical, and there in the sandbox.
Result<std::string> start_directory(Draft& draft) {
  const std::string& given = draft.invocation.working_dir;
  if (given.empty() || given[0] != '/')
    return fail(ErrorKind::kInvalid, "the working directory \"" + text::shown(given) + "\" is not absolute",
                "use --cwd DIR");
  auto info = draft.host.resolve(paths::normal(given));
  if (!info)
    return fail(ErrorKind::kInvalid, "the working directory " + text::shown(given) + " does not exist",
                "use --cwd DIR");
  const std::string& path = info->canonical;
  if (info->kind != HostKind::kDirectory)
    return fail(ErrorKind::kInvalid, "the working directory " + text::shown(path) + " is not a directory",
                "use --cwd DIR");
  // "/" and the top of the private tmp exist in every sandbox, without the host's files.
  const bool own =
      path == "/" || (draft.scope.policy().tmp == TmpMode::kPrivate && (path == "/tmp" || path == "/var/tmp"));
  if (!own && !draft.visible(path))
    return fail(ErrorKind::kInvalid, "the working directory " + text::shown(path) + " is not visible in the sandbox",
                "--read " + text::shell_word(path) + " or --cwd DIR");
  return path;
}

void add_fixed(Draft& draft) {
  const Policy& policy = draft.scope.policy();
  const auto add = [&](auto body) {
    draft.first.push_back(Draft::step(std::move(body), Need::kRequired, draft.preset));
  };
  add(Identity{draft.identity.uid, draft.identity.gid});
  draft.first.push_back(Draft::step(SystemCalls{policy.debuggers}, Need::kRequired,
                                    policy.debuggers == Debuggers::kAllowed ? policy.debuggers_origin : draft.preset));
  add(Processes{policy.pid});
  add(Devices{});
  PrivateTmp tmp{{},
                 policy.limits.memory ? policy.limits.memory->value : draft.host.memory_size() / 2,
                 policy.exec.mode == ExecMode::kAny};
  if (policy.tmp == TmpMode::kPrivate)
    tmp.at = {"/tmp", "/var/tmp", "/dev/shm"};
  else
    tmp.at = {"/dev/shm"};
  add(std::move(tmp));
  draft.first.push_back(
      Draft::step(Network{draft.network_mode(), policy.network.domains, policy.hosts, *parse_address(kNameServer)},
                  Need::kRequired, policy.network.origin));
}

// Best effort: a backend that cannot apply it reports that in the coverage.
void add_observation(Draft& draft) {
  const Policy& policy = draft.scope.policy();
  const bool asks = draft.invocation.asks;
  if (policy.observe == ObserveMode::kOff && !asks) return;
  // An approval request needs an observed call: without observation it is at least kFast.
  const ObserveMode mode = policy.observe == ObserveMode::kOff ? ObserveMode::kFast : policy.observe;
  draft.first.push_back(Draft::step(Observe{mode, asks}, Need::kBestEffort, policy.observe_origin));
}

void add_limits(Draft& draft) {
  const auto add = [&](LimitKind kind, std::uint64_t amount, const Origin& origin) {
    draft.first.push_back(Draft::step(LimitStep{kind, amount}, need_of(origin), origin));
  };
  const auto count = [](std::chrono::milliseconds time) { return static_cast<std::uint64_t>(time.count()); };
  const Limits& limits = draft.scope.policy().limits;
  if (limits.wall_time) add(LimitKind::kWallTime, count(limits.wall_time->value), limits.wall_time->origin);
  if (limits.memory) add(LimitKind::kMemory, limits.memory->value, limits.memory->origin);
  if (limits.processes) add(LimitKind::kProcesses, limits.processes->value, limits.processes->origin);
  if (limits.cpu_time) add(LimitKind::kCpuTime, count(limits.cpu_time->value), limits.cpu_time->origin);
  if (limits.file_size) add(LimitKind::kFileSize, limits.file_size->value, limits.file_size->origin);
  if (limits.output_size) add(LimitKind::kOutputSize, limits.output_size->value, limits.output_size->origin);
}

HideNames names_below(const std::string& root, const HidePattern& pattern, const policy::Scope& scope) {
  HideNames out{root, pattern.glob, {}, pattern.origin};
  const auto glob = Glob::parse(pattern.glob);
  const std::size_t length = root == "/" ? 0 : root.size();
  for (const policy::ScopeRule& rule : scope.rules()) {
    if (!glob || rule.access == Access::kHide || !paths::beneath(rule.path, root)) continue;
    bool matched = false;
    for (std::string_view at = rule.path; at.size() > length && at.size() > 1; at = paths::parent(at))
      matched = matched || glob->matches(at.substr(length + 1));
    if (matched && scope.look_up(rule.path).access != Access::kHide) out.except.push_back(rule.path);
  }
  return out;
}

std::vector<HideNames> names_hidden(const Draft& draft) {
  const bool all_searched = std::none_of(draft.gaps.begin(), draft.gaps.end(),
                                         [](const PlanGap& gap) { return gap.step == step_name::kPatterns; });
  std::vector<HideNames> out;
  for (const HidePattern& pattern : draft.scope.policy().patterns) {
    if (pattern.origin.source == Source::kPreset && all_searched) continue;
    if (pattern.glob[0] == '/') {
      out.push_back(names_below("/", pattern, draft.scope));
      continue;
    }
    for (const std::string& workspace : draft.scope.workspaces())
      out.push_back(names_below(workspace, pattern, draft.scope));
  }
  return out;
}

Result<Plan> compile_for(const policy::Scope& scope, HostView& host, const Invocation& invocation,
                         SearchBounds bounds) {
  Draft draft{scope,
              host,
              invocation,
              bounds,
              host.identity(),
              {Source::kPreset, "preset " + scope.policy().profile},
              {},
              {},
              {},
              {},
              {},
              {},
              {}};
  PF_TRY(working_dir, start_directory(draft));
  draft.working_dir = working_dir;

  add_fixed(draft);
  Step variables = environment(draft);  // before the exec rule, which looks commands up by its PATH
  PF_CHECK(add_exec_limit(draft));
  draft.first.push_back(Draft::step(Terminal{scope.policy().session}, Need::kRequired, draft.preset));
  draft.first.push_back(std::move(variables));
  add_limits(draft);
  add_observation(draft);

  add_home(draft);
  add_shows(draft);
  add_host_traces(draft);
  add_name_service(draft);
  PF_CHECK(add_search(draft));
  add_spelling_gaps(draft);

  std::vector<std::pair<std::size_t, std::size_t>> order;
  order.reserve(draft.paths.size());
  for (std::size_t i = 0; i < draft.paths.size(); ++i) order.emplace_back(paths::depth(place_of(draft.paths[i])), i);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const int by_name = place_of(draft.paths[a.second]).compare(place_of(draft.paths[b.second]));
    return by_name != 0 ? by_name < 0 : a.second < b.second;
  });

  Plan plan;
  plan.steps = std::move(draft.first);
  plan.steps.reserve(plan.steps.size() + draft.paths.size() + draft.guards.size());
  for (const auto& [depth, index] : order) plan.steps.push_back(std::move(draft.paths[index]));
  // A pass for each kind moves a step once, where sorting moves it often: a writable root has some fifty.
  for (int kind = 0; kind < kGuardKinds; ++kind)
    for (Step& step : draft.guards)
      if (guard_order(step) == kind) plan.steps.push_back(std::move(step));
  plan.names = names_hidden(draft);
  for (const policy::ScopeRule& rule : scope.rules())
    if (rule.own) plan.own.push_back(rule.path);
  plan.gaps = std::move(draft.gaps);
  plan.working_dir = std::move(draft.working_dir);
  plan.on_unavailable = scope.policy().on_unavailable;
  return plan;
}

}  // namespace

Result<Plan> compile(const policy::Scope& scope, HostView& host, const Invocation& invocation, SearchBounds bounds) {
  return unless_host_failed(host, compile_for(scope, host, invocation, bounds));
}

std::string default_working_dir(const Caller& caller, const std::vector<std::string>& workspaces) {
  for (const std::string& workspace : workspaces)
    if (paths::at_or_beneath(caller.working_dir, workspace)) return caller.working_dir;
  return workspaces.empty() ? caller.working_dir : workspaces.front();
}

}  // namespace pinfold::plan
