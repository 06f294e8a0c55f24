// live_approvals.h: the approval requests of one run: the queue, the user interfaces, and the stored grants.
// Not here: showing requests (terminal_approval_ui.h), widening the sandbox (supervisor).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/prepare.h"
#include "cli/run_journal.h"
#include "cli/terminal_approval_ui.h"
#include "session/approval_queue.h"
#include "session/grant_store.h"
#include "supervisor/approvals.h"

namespace pinfold::cli {

class LiveApprovals {
 public:
  LiveApprovals(const RunOptions& options, const Caller& caller, const PreparedRun& prepared, RunJournal& journal,
                std::vector<Grant> grants, Context& context);

  supervisor::Approver* approver() { return &queue_; }
  // Makes a plan from the policy of the run's start and these grants.
  supervisor::Widen widen();
  // For backends that cannot hold a call: asks about the denials after the command has ended. Returns the grants with
  // which to run it again.
  std::vector<Grant> ask_afterwards(const Report& report);
  // The notes for the report, after the command has ended.
  std::vector<std::string> notes();

 private:
  ApprovalDecision ask_and_wait(const ApprovalRequest& request);
  void remember(const ApprovalRequest& request, const Grant& grant);
  void forget(const Grant& grant);

  std::shared_ptr<const settings::LoadedPolicy> policy_;
  const RunOptions& options_;
  const Caller& caller_;
  std::vector<std::string> workspaces_;
  std::vector<Grant> grants_;  // from the beginning
  RunJournal& journal_;
  Context& context_;
  session::GrantStore store_;
  session::ApprovalQueue queue_;
  std::unique_ptr<TerminalApprovalUi> terminal_;
  std::unique_ptr<session::ApprovalUi> web_;
  std::vector<std::string> notes_;
  std::vector<std::shared_ptr<sys::MaskDirectories>> temporary_;  // for grants that show more; removed after the run
};

}  // namespace pinfold::cli
