// prepare.h: from the command line to a plan and its candidate backends, and from a report to an exit code: for runs,
// sessions and shells. Not here: running the plan (run.cc, session_start.cc).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "backend/registry.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/report_file.h"
#include "cli/run_journal.h"
#include "pinfold/approval.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"
#include "sys/event_loop.h"
#include "sys/mask_directory.h"

namespace pinfold::cli {

struct PreparedRun {
  Plan plan;
  std::vector<backend::Backend*> candidates;
  std::string profile;
  std::vector<std::string> workspaces;
  bool journal = true;
  std::vector<std::string> notes;                   // for the report
  std::shared_ptr<sys::MaskDirectories> temporary;  // removed after the run
  sys::EventLoop* loop = nullptr;                   // a loop that also serves other things; or null
  // The policy as read at the start. A live grant widens this policy; policy files are not read again. Null if the run
  // asks for no approval.
  std::shared_ptr<const settings::LoadedPolicy> policy;
};

// The plan of a policy: for the start of a run, and again for each live grant. Reads no policy file.
struct RunPlan {
  settings::LoadedPolicy loaded;
  Plan plan;
  std::vector<std::string> workspaces;
};
enum class Consent { kChecked, kGiven };
Result<RunPlan> plan_for(settings::LoadedPolicy policy, Consent consent, const RunOptions& options,
                         const Caller& caller, HostView& host, const std::vector<Grant>& grants);

// `grants`: the user's grants of this run, on top of the policy.
Result<PreparedRun> prepare(const CommandLine& parsed, const RunOptions& options, const Caller& caller,
                            Context& context, const std::vector<Grant>& grants);

// Starts the run and waits for its end. `approvals`: decides approval requests during the run, or null. `denied`: if
// set, called for each denial, which is then not in the report.
class LiveApprovals;
Report carry_out(const PreparedRun& prepared, const RunOptions& options, LiveApprovals* approvals, RunJournal& journal,
                 Context& context, const std::function<void(const Denial&)>& denied);

// The run's journal, with the entry of its start; records nothing if the user switched the journal off.
RunJournal journal_of(const Result<PreparedRun>& prepared, const CommandLine& parsed, const RunOptions& options,
                      const Caller& caller, HostView& host);

// The fix of a gap in a required step if --backend named one backend: "leave out --backend landlock: native enforces
// every required step". Empty: no other backend does. Tries the others: call it when no sandbox of this process is
// left.
std::string other_backend_fix(const std::string& named, const Plan& plan, const backend::Registry& registry);
// The same in the report of a refused run. Its only fix if the backend can start; otherwise the first.
void add_other_backend(const std::string& named, const Plan& plan, const backend::Registry& registry, Report& report);

// Prints the required steps that will not be enforced on stderr.
void warn_about_gaps(const GapRequest& question, Confinement confinement, HostView& host);

// Before a run: writes the project's name into its cache directory.
void keep_cache_owner(const PreparedRun& prepared);

// Prints the outcome on stderr, writes the file of --report, and returns the exit code.
int finish(const Report& report, Verbosity verbosity, std::optional<ReportFile>& file, RunJournal& journal,
           Context& context);

}  // namespace pinfold::cli
