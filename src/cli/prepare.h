// prepare.h: from the command line to a plan and the backends that may carry it out, and from a report to an exit code:
// for a run, a session and a shell. Not here: carrying it out (run.cc, session_start.cc).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/report_file.h"
#include "cli/run_journal.h"
#include "pinfold/plan.h"
#include "pinfold/question.h"
#include "pinfold/report.h"
#include "sys/event_loop.h"

namespace pinfold::cli {

struct Prepared {
  Plan plan;
  std::vector<backend::Backend*> candidates;
  std::string profile;
  std::vector<std::string> workspaces;
  bool journal = true;
  std::vector<std::string> notes;  // for the report
  sys::EventLoop* loop = nullptr;  // that serves more than this run; or null
  // The policy as read at the start. A live grant widens this policy; policy files are not read again. Null if the run
  // asks for no approval.
  std::shared_ptr<const settings::Loaded> policy;
};

// The plan of a policy: for the start of a run, and again for each live grant. Reads no policy file.
struct Planned {
  settings::Loaded loaded;
  Plan plan;
  std::vector<std::string> workspaces;
};
enum class Consent { kChecked, kGiven };
Result<Planned> plan_for(settings::Loaded policy, Consent consent, const RunOptions& options, const Caller& caller,
                         HostView& host, const std::vector<Grant>& grants);

// `grants`: of somebody who was asked, on top of all.
Result<Prepared> prepare(const Parsed& parsed, const RunOptions& options, const Caller& caller, Context& context,
                         const std::vector<Grant>& grants);

// Starts it and waits for its end. `questions`: who is asked meanwhile, or null. `denied`: told of each denial instead
// of the report, if it is given.
class LiveQuestions;
Report carry_out(const Prepared& prepared, const RunOptions& options, LiveQuestions* questions, RunJournal& journal,
                 Context& context, const std::function<void(const Denial&)>& denied);

// What the journal is told about the run before it begins; nothing is recorded where the user does not want it.
RunJournal journal_of(const Result<Prepared>& prepared, const Parsed& parsed, const RunOptions& options,
                      const Caller& caller, HostView& host);

// On stderr: what is required and will not be enforced.
void warn_about_gaps(const GapQuestion& question, Walls walls, HostView& host);

// Before a run: names the project in the directory of its cache.
void keep_cache_owner(const Prepared& prepared);

// What happened, on stderr and in the file of --report; the exit code that it means.
int finish(const Report& report, Verbosity verbosity, std::optional<ReportFile>& file, RunJournal& journal,
           Context& context);

}  // namespace pinfold::cli
