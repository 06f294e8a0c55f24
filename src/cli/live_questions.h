// live_questions.h: the questions of one run: the board, whoever can answer, and what is kept of the answers.
// Not here: showing them (terminal_face.h), what a yes changes (supervisor).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/prepare.h"
#include "cli/run_journal.h"
#include "cli/terminal_face.h"
#include "session/board.h"
#include "supervisor/asking.h"

namespace pinfold::cli {

class LiveQuestions {
 public:
  LiveQuestions(const Parsed& parsed, const RunOptions& options, const Caller& caller, const Prepared& prepared,
                RunJournal& journal, Context& context);

  supervisor::Asker* asker() { return &board_; }
  // The same command line with these grants on top.
  supervisor::Widen widen() const;
  // Notes for the report, once the command has ended.
  std::vector<std::string> notes();

 private:
  void remember(const AccessQuestion& question, const Grant& grant);

  const Parsed& parsed_;
  const RunOptions& options_;
  const Caller& caller_;
  std::vector<std::string> workspaces_;
  RunJournal& journal_;
  Context& context_;
  session::Board board_;
  std::unique_ptr<TerminalFace> terminal_;
  std::vector<std::string> notes_;
};

}  // namespace pinfold::cli
