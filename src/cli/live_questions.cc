// live_questions.cc: puts board, faces, journal and policy together.
#include "cli/live_questions.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"

namespace pinfold::cli {
namespace {

constexpr std::size_t kLongestCommand = 160;

// Enough to know it again.
std::string command_of(const RunOptions& options) {
  if (options.implied_shell && options.argv.size() > 3) return {};  // a shell of ours
  const std::string whole = text::shell_words(options.argv);
  return whole.size() <= kLongestCommand ? whole : std::string(utf8_head(whole, kLongestCommand)) + "…";
}

}  // namespace

LiveQuestions::LiveQuestions(const Parsed& parsed, const RunOptions& options, const Caller& caller,
                             const Prepared& prepared, RunJournal& journal, Context& context)
    : parsed_(parsed),
      options_(options),
      caller_(caller),
      workspaces_(prepared.workspaces),
      journal_(journal),
      context_(context),
      board_({.remember = [this](const AccessQuestion& question, const Grant& grant) { remember(question, grant); },
              .assess = {},
              .asked = [this](const AccessQuestion& question) { journal_.asked(question); },
              .answered = [this](const AccessQuestion& question, Answer answer,
                                 const std::string& by) { journal_.answered(question, answer, by); }}) {
  if (options.ask == Ask::kTerminal) {
    terminal_ = std::make_unique<TerminalFace>(board_, command_of(options), context.host);
    board_.join(*terminal_);
  }
}

supervisor::Widen LiveQuestions::widen() const {
  return [this](const std::vector<Grant>& grants) -> Result<Plan> {
    PF_TRY(planned, plan_for(parsed_, options_, caller_, context_.host, grants), "");
    return std::move(planned.plan);
  };
}

void LiveQuestions::remember(const AccessQuestion&, const Grant& grant) {
  notes_.push_back("remembering grants is not built: " + grant.resource);
}

std::vector<std::string> LiveQuestions::notes() {
  if (board_.flooded() > 0)
    notes_.push_back(fmt::format("{} question{} answered no without asking: there were too many", board_.flooded(),
                                 board_.flooded() == 1 ? " was" : "s were"));
  return std::move(notes_);
}

}  // namespace pinfold::cli
