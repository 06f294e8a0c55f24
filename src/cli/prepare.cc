// prepare.cc: reads the policy, plans, finds the backends.
#include "cli/prepare.h"

#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/process_io.h"
#include "plan/compile.h"
#include "plan/missing_own.h"
#include "policy/presets.h"
#include "report/gaps.h"
#include "report/table.h"
#include "settings/own_directories.h"
#include "supervisor/choose.h"
#include "sys/files.h"

namespace pinfold::cli {

using text::shown;

Result<RunPlan> plan_for(settings::LoadedPolicy loaded, Consent consent, const RunOptions& options,
                         const Caller& caller, HostView& host, const std::vector<Grant>& grants) {
  PF_CHECK(add_live_grants(loaded, grants, host));
  if (loaded.off && !options.sandbox_flag_given)
    return fail(ErrorKind::kRefused,
                shown(*loaded.off) +
                    ": the sandbox is switched off; Pinfold runs a command without a sandbox only if you say so",
                "--no-sandbox to run without a sandbox, or --sandbox to run in one");
  PF_TRY(scope, policy::Scope::build(loaded.policy, host));
  if (consent == Consent::kChecked) PF_CHECK(settings::check_consent(loaded, scope, host, caller));
  plan::Invocation invocation;
  invocation.argv = options.argv;
  invocation.implied_shell = options.implied_shell;
  invocation.asks = options.ask != AskMode::kNever;
  invocation.working_dir =
      options.working_dir ? *options.working_dir : plan::default_working_dir(caller, scope.workspaces());
  PF_TRY(plan, plan::compile(scope, host, invocation));
  return RunPlan{std::move(loaded), std::move(plan), scope.workspaces()};
}

Result<PreparedRun> prepare(const CommandLine& parsed, const RunOptions& options, const Caller& caller,
                            Context& context, const std::vector<Grant>& grants) {
  PreparedRun prepared;
  if (options.confinement == Confinement::kSandbox) {
    PF_TRY(candidates, find_candidates(context.registry, options.backend));
    prepared.candidates = std::move(candidates);
  }
  const std::optional<NetworkMode> expected = expected_network(parsed);
  // Only the first backend: the others are fallbacks.
  if (!prepared.candidates.empty() && expected) prepared.candidates[0]->begin(*expected);
  const auto plan_now = [&](Warnings warnings) -> Result<RunPlan> {
    PF_TRY(policy, read_policy(parsed, caller, context.host, warnings));
    if (options.ask != AskMode::kNever) prepared.policy = std::make_shared<const settings::LoadedPolicy>(policy);
    return plan_for(std::move(policy), Consent::kChecked, options, caller, context.host, grants);
  };
  // With grants this is a second run of the command: the first one printed the warnings.
  PF_TRY(planned, plan_now(grants.empty() ? Warnings::kPrinted : Warnings::kNotPrinted));
  // A mount can cover only a path that exists, so these are created before the run. This also keeps the directories
  // that Pinfold creates for itself during the run from being attributed to the command.
  if (const auto missing = plan::missing_own(planned.plan, context.host); !missing.empty()) {
    PF_TRY(made, settings::make_own_directories(missing));
    prepared.temporary = std::move(made);
    PF_TRY(again, plan_now(Warnings::kNotPrinted));
    planned = std::move(again);
  }
  if (planned.loaded.policy.profile == policy::kFullAccessPreset && options.confinement == Confinement::kSandbox &&
      grants.empty())
    print_warning(
        "danger-full-access hides nothing: the command can read and change all that you can, also your keys and "
        "Pinfold's own secrets, settings and grants",
        "--profile permissive hides these", context.host);
  if (!prepared.candidates.empty() && !expected) prepared.candidates[0]->begin(planned.loaded.policy.network.mode);
  prepared.plan = std::move(planned.plan);
  prepared.profile = planned.loaded.policy.profile;
  prepared.workspaces = std::move(planned.workspaces);
  prepared.journal = planned.loaded.journal;
  prepared.notes = std::move(planned.loaded.notes);
  if (options.confinement == Confinement::kNone) {
    if (!context.registry.passthrough)
      return fail(ErrorKind::kUnavailable, "this build of Pinfold cannot run a command without a sandbox");
    prepared.candidates = {context.registry.passthrough.get()};
    // --no-sandbox accepts every gap; warn_about_gaps() still lists them.
    if (!options.on_unavailable_given) prepared.plan.on_unavailable = OnUnavailable::kWarn;
  }
  return prepared;
}

std::string other_backend_fix(const std::string& named, const Plan& plan, const backend::Registry& registry) {
  if (named == "auto" || named == "passthrough") return {};
  std::vector<backend::Backend*> others = registry.all();
  std::erase_if(others, [&](const backend::Backend* one) { return one->name() == named; });
  const backend::Backend* found = supervisor::first_without_gap(others, plan);
  if (found == nullptr) return {};
  return fmt::format("leave out --backend {}: {} enforces every required step", named, found->name());
}

void add_other_backend(const std::string& named, const Plan& plan, const backend::Registry& registry, Report& report) {
  auto* refused = std::get_if<Refused>(&report.outcome);
  if (refused == nullptr || refused->by != RefusedBy::kEnforcement) return;
  const std::string fix = other_backend_fix(named, plan, registry);
  if (fix.empty()) return;
  if (report.backend.empty()) {
    report.fixes.insert(report.fixes.begin(), fix);
    refused->fix = fix + (refused->fix.empty() ? "" : "; or " + refused->fix);
  } else {
    report.fixes = {fix};
    refused->fix = fix + "; or accept the gap with --on-unavailable warn";
  }
}

void warn_about_gaps(const GapRequest& question, Confinement confinement, HostView& host) {
  const report::TextFormat format = format_for(STDERR_FILENO, host);
  std::string out = report::paint("pinfold: warning:", report::Paint::kWarn, format.colour);
  const std::size_t count = question.gaps.size();
  if (confinement == Confinement::kNone) {
    out += " no sandbox (--no-sandbox): not enforced:";
    for (const Coverage& row : question.gaps) out += " " + report::visible(row.step);
    out += '\n';
  } else {
    out += fmt::format(" running with {} gap{} in required steps, by {}\n", count, count == 1 ? "" : "s",
                       report::visible(question.backend));
    out += report::gap_table(question.gaps, format) + report::fix_list(question.fixes, format);
  }
  print(STDERR_FILENO, out);
}

Result<std::vector<backend::Backend*>> find_candidates(const backend::Registry& registry, std::string_view name) {
  if (name == "auto" && registry.backends.empty())
    return fail(ErrorKind::kUnavailable, "this program was built without a sandbox for this system",
                "see: pinfold doctor");
  if (name == "auto") return registry.all();
  if (backend::Backend* found = registry.find(name)) return std::vector<backend::Backend*>{found};
  std::vector<std::string_view> names = {"auto"};
  for (const auto& backend : registry.backends) names.push_back(backend->name());
  std::string known;
  for (const std::string_view one : names) known += (known.empty() ? "" : ", ") + std::string(one);
  return fail(ErrorKind::kInvalid,
              fmt::format("--backend: there is no backend {}{}", shown(name), did_you_mean(name, names)),
              "use one of: " + known);
}

}  // namespace pinfold::cli
