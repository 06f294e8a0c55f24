// live_approvals.cc: puts board, faces, journal and policy together.
#include "cli/live_approvals.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "cli/process_io.h"
#include "cli/web_approval_ui.h"
#include "plan/grants.h"
#include "safety/risk.h"

namespace pinfold::cli {
namespace {

constexpr std::size_t kLongestCommand = 160;
constexpr std::size_t kMostAfterwards = 10;  // questions, when all is over

// Enough to know it again.
std::string command_of(const RunOptions& options) {
  if (options.implied_shell && options.argv.size() > 3) return {};  // a shell of ours
  const std::string whole = text::shell_words(options.argv);
  return whole.size() <= kLongestCommand ? whole : std::string(utf8_head(whole, kLongestCommand)) + "…";
}

}  // namespace

LiveQuestions::LiveQuestions(const RunOptions& options, const Caller& caller, const Prepared& prepared,
                             RunJournal& journal, std::vector<Grant> grants, Context& context)
    : policy_(prepared.policy),
      options_(options),
      caller_(caller),
      workspaces_(prepared.workspaces),
      grants_(std::move(grants)),
      journal_(journal),
      context_(context),
      store_(caller, context.host),
      board_({.remember = [this](const AccessQuestion& question, const Grant& grant) { remember(question, grant); },
              .forget = [this](const Grant& grant) { forget(grant); },
              .assess =
                  [this](const AccessQuestion& question) {
                    return safety::risk_of(question.operation, question.resource, caller_.home, workspaces_);
                  },
              .asked = [this](const AccessQuestion& question) { journal_.asked(question); },
              .answered = [this](const AccessQuestion& question, Answer answer,
                                 const std::string& by) { journal_.answered(question, answer, by); }}) {
  store_.hold();
  if (options.ask == Ask::kTerminal) {
    terminal_ = std::make_unique<TerminalFace>(board_, command_of(options), context.host);
    board_.join(*terminal_);
  }
  if (options.ask == Ask::kWeb) {
    const std::string workspace = workspaces_.empty() ? std::string() : workspaces_[0];
    web_ = make_web_asking(board_, options.argv, workspace, context.host);
    board_.join(*web_);
  }
}

supervisor::Widen LiveQuestions::widen() const {
  return [this](const std::vector<Grant>& grants) -> Result<Plan> {
    std::vector<Grant> all = grants_;
    all.insert(all.end(), grants.begin(), grants.end());
    PF_TRY(planned, plan_for(*policy_, Consent::kGiven, options_, caller_, context_.host, all), "");
    return std::move(planned.plan);
  };
}

std::vector<Grant> LiveQuestions::ask_afterwards(const Report& report) {
  const auto is_absent = [](const Coverage& row) {
    return row.step == step_name::kObserve && row.strength != Strength::kEnforced;
  };
  if (!terminal_ || std::none_of(report.coverage.begin(), report.coverage.end(), is_absent)) return {};
  std::vector<Grant> granted;
  std::set<std::string> asked;
  for (const Denial& denial : report.denials) {
    if (!denial.grant || denial.grant->kind == Grant::Kind::kNetwork || asked.size() >= kMostAfterwards) continue;
    if (!asked.insert(plan::flag_of(*denial.grant)).second) continue;
    if (asked.size() == 1)
      print(STDERR_FILENO,
            fmt::format("pinfold: {} cannot let a command wait: allow what it was denied, and it is run again\n",
                        report.backend));
    AccessQuestion question = supervisor::question_about(denial);
    question.id = asked.size();
    question.once = false;
    if (const Answer answer = ask_and_wait(question); answer != Answer::kDeny) {
      granted.push_back(*denial.grant);
      board_.granted(*denial.grant, answer);
    }
  }
  if (!granted.empty()) print(STDERR_FILENO, "pinfold: running it again\n");
  return granted;
}

Answer LiveQuestions::ask_and_wait(const AccessQuestion& question) {
  struct Nothing final : supervisor::Streams {
    void hold() override {}
    void release() override {}
    void interrupt() override {}
  } nothing;
  auto loop = sys::EventLoop::create();
  if (!loop) return Answer::kDeny;
  Answer out = Answer::kDeny;
  board_.begin(*loop, nothing);
  bool answered = false;
  board_.ask(question, [&](Answer answer) {
    out = answer;
    answered = true;
    if (answer == Answer::kAlways && question.grant) remember(question, *question.grant);
    loop->stop();
  });
  if (!answered) static_cast<void>(loop->run());
  board_.end();
  return out;
}

// For this project: what one needs another has not asked for.
void LiveQuestions::remember(const AccessQuestion& question, const Grant& grant) {
  std::optional<std::string> project;
  if (!workspaces_.empty()) project = workspaces_.front();
  if (auto added = store_.add(session::remembered(question, grant, std::move(project))); !added)
    notes_.push_back(fmt::format("{} is allowed for this run, but not kept: {}{}", grant.resource, added.error().text(),
                                 added.error().fix().empty() ? "" : " (" + added.error().fix() + ")"));
}

void LiveQuestions::forget(const Grant& grant) {
  session::GrantScope scope;
  scope.projects = workspaces_;
  std::vector<std::uint64_t> numbers;
  for (const session::StoredGrant& each : store_.list(scope).grants)
    if (each.grant == grant) numbers.push_back(each.number);
  if (numbers.empty()) return;
  if (auto revoked = store_.revoke(numbers); !revoked)
    notes_.push_back(grant.resource + " is taken back for this run, but still kept: " + revoked.error().text());
}

std::vector<std::string> LiveQuestions::notes() {
  if (board_.refused() > 0)
    notes_.push_back(fmt::format("{} question{} answered no without asking: {}", board_.refused(),
                                 board_.refused() == 1 ? " was" : "s were", board_.refused_because()));
  if (board_.flooded() > 0)
    notes_.push_back(fmt::format("{} question{} answered no without asking: there were too many", board_.flooded(),
                                 board_.flooded() == 1 ? " was" : "s were"));
  return std::move(notes_);
}

}  // namespace pinfold::cli
