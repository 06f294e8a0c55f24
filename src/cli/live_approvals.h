// live_approvals.h: the questions of one run: the board, whoever can answer, and what is kept of the answers.
// Not here: showing them (terminal_approval_ui.h), what a yes changes (supervisor).
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

class LiveQuestions {
 public:
  LiveQuestions(const RunOptions& options, const Caller& caller, const Prepared& prepared, RunJournal& journal,
                std::vector<Grant> grants, Context& context);

  supervisor::Asker* asker() { return &board_; }
  // The policy that the run began with, and these grants on top.
  supervisor::Widen widen() const;
  // Where calls cannot wait, what was denied is asked about when the command has ended: what another run shall have.
  std::vector<Grant> ask_afterwards(const Report& report);
  // Notes for the report, once the command has ended.
  std::vector<std::string> notes();

 private:
  Answer ask_and_wait(const AccessQuestion& question);
  void remember(const AccessQuestion& question, const Grant& grant);
  void forget(const Grant& grant);

  std::shared_ptr<const settings::Loaded> policy_;
  const RunOptions& options_;
  const Caller& caller_;
  std::vector<std::string> workspaces_;
  std::vector<Grant> grants_;  // from the beginning
  RunJournal& journal_;
  Context& context_;
  session::GrantStore store_;
  session::Board board_;
  std::unique_ptr<TerminalFace> terminal_;
  std::unique_ptr<session::Face> web_;
  std::vector<std::string> notes_;
};

}  // namespace pinfold::cli
