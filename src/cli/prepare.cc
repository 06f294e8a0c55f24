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
#include "report/gaps.h"
#include "report/table.h"
#include "sys/files.h"

namespace pinfold::cli {

using text::shown;

Result<Planned> plan_for(settings::Loaded loaded, Consent consent, const RunOptions& options, const Caller& caller,
                         HostView& host, const std::vector<Grant>& grants) {
  PF_CHECK(add_live_grants(loaded, grants, host), "");
  if (loaded.off && !options.walls_named)
    return fail(ErrorKind::kRefused,
                shown(*loaded.off) + ": the sandbox is switched off, and nothing runs bare by accident",
                "say --no-sandbox to run without it, or --sandbox to run in it all the same");
  PF_TRY(scope, policy::Scope::build(loaded.policy, host), "");
  if (consent == Consent::kChecked) PF_CHECK(settings::check_consent(loaded, scope, host, caller), "");
  plan::Invocation invocation;
  invocation.argv = options.argv;
  invocation.implied_shell = options.implied_shell;
  invocation.asks = options.ask != Ask::kNever;
  invocation.working_dir =
      options.working_dir ? *options.working_dir : plan::default_working_dir(caller, scope.workspaces());
  PF_TRY(plan, plan::compile(scope, host, invocation), "");
  return Planned{std::move(loaded), std::move(plan), scope.workspaces()};
}

Result<Prepared> prepare(const Parsed& parsed, const RunOptions& options, const Caller& caller, Context& context,
                         const std::vector<Grant>& grants) {
  Prepared prepared;
  if (options.walls == Walls::kSandbox) {
    PF_TRY(candidates, find_candidates(context.registry, options.backend), "");
    prepared.candidates = std::move(candidates);
  }
  const std::optional<NetworkMode> expected = network_at_a_glance(parsed);
  // Only the first: the others are for hosts where it does not stand.
  if (!prepared.candidates.empty() && expected) prepared.candidates[0]->begin(*expected);
  const auto plan_now = [&](Warnings warnings) -> Result<Planned> {
    PF_TRY(policy, read_policy(parsed, caller, context.host, warnings), "");
    if (options.ask != Ask::kNever) prepared.policy = std::make_shared<const settings::Loaded>(policy);
    return plan_for(std::move(policy), Consent::kChecked, options, caller, context.host, grants);
  };
  // With grants, the command is run once more: the warnings are printed already.
  PF_TRY(planned, plan_now(grants.empty() ? Warnings::kPrinted : Warnings::kNotPrinted), "");
  // Made before, they can be covered by a mount; and those that Pinfold makes for itself during the run are not taken
  // for the command's.
  if (const auto missing = plan::missing_own(planned.plan, context.host); !missing.empty()) {
    for (const std::string& each : missing) static_cast<void>(sys::make_directories(each));
    PF_TRY(again, plan_now(Warnings::kNotPrinted), "");
    planned = std::move(again);
  }
  if (!prepared.candidates.empty() && !expected) prepared.candidates[0]->begin(planned.loaded.policy.network.mode);
  prepared.plan = std::move(planned.plan);
  prepared.profile = planned.loaded.policy.profile;
  prepared.workspaces = std::move(planned.workspaces);
  prepared.journal = planned.loaded.journal;
  prepared.notes = std::move(planned.loaded.notes);
  if (options.walls == Walls::kNone) {
    if (!context.registry.passthrough)
      return fail(ErrorKind::kUnavailable, "this program has no way to run without a sandbox");
    prepared.candidates = {context.registry.passthrough.get()};
    // --no-sandbox is itself the answer to every gap; the warning below still says so.
    if (!options.gap_answer_given) prepared.plan.on_unavailable = OnUnavailable::kWarn;
  }
  return prepared;
}

void warn_about_gaps(const GapQuestion& question, Walls walls, HostView& host) {
  const report::Paper paper = paper_for(STDERR_FILENO, host);
  std::string out = report::paint("pinfold: warning:", report::Paint::kWarn, paper.colour);
  const std::size_t count = question.gaps.size();
  if (walls == Walls::kNone) {
    out += " no sandbox (--no-sandbox): not enforced:";
    for (const Coverage& row : question.gaps) out += " " + report::visible(row.step);
    out += '\n';
  } else {
    out += fmt::format(" running with {} gap{} in what is required, by {}\n", count, count == 1 ? "" : "s",
                       report::visible(question.backend));
    out += report::gap_table(question.gaps, paper) + report::fix_list(question.fixes, paper);
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
