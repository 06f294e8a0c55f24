// explain.cc: denials for commands that could not be started.
#include "supervisor/explain.h"

#include <utility>

#include "plan/grants.h"
#include "report/infer.h"

namespace pinfold::supervisor {

void explain_no_start(const Error& error, const RunRequest& request, HostView& host, Report& report) {
  if (request.argv.empty()) return;
  if (error.kind() == ErrorKind::kRefused) {
    Denial denial{"exec", request.argv[0], error.text(), error.fix(), DenialSource::kKernel, 1};
    plan::move_note(denial);
    report.denials.push_back(std::move(denial));
  }
  auto* failed = std::get_if<SetupFailed>(&report.outcome);
  if (failed == nullptr || failed->stage != SetupStage::kNotFound || request.errors) return;
  report::Inference inference(*request.plan, host);
  inference.program_missing(request.argv[0]);
  for (Denial& denial : std::move(inference).finish()) {
    failed->fix = denial.resource + " is not visible; show it with " + denial.allow_with;
    report.denials.push_back(std::move(denial));
  }
}

}  // namespace pinfold::supervisor
