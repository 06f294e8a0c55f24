// doctor.cc: `pinfold doctor` on Windows: sets the backend's sandbox up and prints its coverage on this machine.
// Invariant: uses an empty directory of its own as the workspace; runs no command, leaves no file.
// Not here: the probing itself (backend).
#include <unistd.h>

#include <random>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "plan/compile.h"
#include "report/gaps.h"
#include "report/render.h"
#include "report/table.h"
#include "supervisor/choose.h"
#include "sys/host.h"
#include "sys/windows/files.h"

namespace pinfold::cli {
namespace {

Result<Plan> plan_in(const std::string& workspace, Caller caller, HostView& host) {
  caller.working_dir = workspace;
  PolicyBuilder builder("moderate", caller, {Source::kPreset, "doctor"});
  builder.workspace(workspace, {Source::kPreset, "doctor"});
  PF_TRY(policy, std::move(builder).build());
  PF_TRY(scope, policy::Scope::build(policy, host));
  plan::Invocation invocation;
  invocation.argv = {"true"};
  invocation.working_dir = workspace;
  return plan::compile(scope, host, invocation);
}

Result<int> examine(const CommandLine& parsed, const std::string& scratch, const Caller& caller, Context& context) {
  PF_TRY(plan, plan_in(scratch, caller, context.host));
  const FlagValue* named = find_flag_value(parsed, Id::kBackend);
  PF_TRY(candidates, find_candidates(context.registry, named == nullptr ? "auto" : named->value));
  const report::TextFormat format = format_for(STDOUT_FILENO, context.host);
  std::string out = fmt::format("{}{}\nuser {}\n", version(), report::visible(kernel_release()),
                                report::visible(context.host.identity().user));
  bool starts = false;
  for (const supervisor::Attempt& attempt : supervisor::survey(candidates, plan)) {
    out += fmt::format("\nbackend {}\n", attempt.backend->name());
    out += attempt.error ? "  cannot be used: " + report::visible(attempt.error->text()) + "\n"
                         : report::coverage_table(attempt.coverage, format);
    starts = starts || (!attempt.error && gaps_that_refuse(attempt.coverage).empty());
  }
  out += starts ? "\n`pinfold run` starts here\n"
                : "\n`pinfold run` is refused here, unless the gaps are accepted: --on-unavailable warn\n";
  print(STDOUT_FILENO, out);
  return starts ? 0 : kUsageError;
}

}  // namespace

int doctor(const CommandLine& parsed, Context& context) {
  if (!parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "doctor takes no arguments", "pinfold doctor"), context.host);
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  const std::string tmp = context.host.variable("TMPDIR").value_or(caller->working_dir);
  const std::string scratch = paths::join(tmp, fmt::format("pinfold-doctor-{:08x}", std::random_device()()));
  if (auto made = sys::make_directories(scratch); !made) return complain(made.error(), context.host);
  const auto code = examine(parsed, scratch, *caller, context);
  static_cast<void>(sys::remove_tree(scratch));
  return code ? *code : complain(code.error(), context.host);
}

}  // namespace pinfold::cli
