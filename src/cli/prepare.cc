// prepare.cc: reads the policy, plans, finds the backends.
#include "cli/prepare.h"

#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/surroundings.h"
#include "plan/compile.h"
#include "report/gaps.h"
#include "report/table.h"
#include "settings/files.h"
#include "sys/files.h"

namespace pinfold::cli {

using text::shown;

Result<Planned> plan_for(const Parsed& parsed, const RunOptions& options, const Caller& caller, HostView& host,
                         const std::vector<Grant>& grants) {
  PF_TRY(loaded, load_policy(parsed, caller, host, grants), "");
  if (loaded.off && !options.walls_named)
    return fail(ErrorKind::kRefused,
                shown(*loaded.off) + ": the sandbox is switched off, and nothing runs bare by accident",
                "say --no-sandbox to run without it, or --sandbox to run in it all the same");
  PF_TRY(scope, policy::Scope::build(loaded.policy, host), "");
  PF_CHECK(settings::check_consent(loaded, scope, host, caller), "");
  plan::Invocation invocation;
  invocation.argv = options.argv;
  invocation.implied_shell = options.implied_shell;
  invocation.asks = options.ask != Ask::kNever;
  invocation.working_dir =
      options.working_dir ? *options.working_dir : plan::default_working_dir(caller, scope.workspaces());
  PF_TRY(plan, plan::compile(scope, host, invocation), "");
  return Planned{std::move(loaded), std::move(plan), scope.workspaces()};
}

namespace {

// Pinfold's own places that the command could make, as far as the plan has to guard them because they are missing. Made
// before, they can be covered by a mount; and what Pinfold makes for itself meanwhile is not taken for the command's.
std::vector<std::string> missing_places(const Plan& plan, const Caller& caller, HostView& host) {
  std::vector<std::string> own = {settings::config_directory(caller, host), settings::state_directory(caller, host),
                                  settings::grants_directory(caller, host),
                                  fmt::format("/tmp/pinfold-{}", host.identity().uid)};
  if (const auto runtime = host.variable("XDG_RUNTIME_DIR"); runtime && runtime->starts_with('/'))
    own.push_back(paths::normal(*runtime + "/pinfold"));
  std::vector<std::string> out;
  for (const Step& step : plan.steps) {
    const auto* name = std::get_if<ProtectName>(&step.body);
    if (name == nullptr || name->exists) continue;
    const std::string guarded = paths::join(name->parent, name->name);
    for (const std::string& each : own)
      if (!each.empty() && (each == guarded || paths::beneath(each, guarded))) out.push_back(each);
  }
  return out;
}

}  // namespace

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
  PF_TRY(planned, plan_for(parsed, options, caller, context.host, grants), "");
  if (const auto missing = missing_places(planned.plan, caller, context.host); !missing.empty()) {
    for (const std::string& each : missing) static_cast<void>(sys::make_directories(each));
    PF_TRY(again, plan_for(parsed, options, caller, context.host, grants), "");
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
