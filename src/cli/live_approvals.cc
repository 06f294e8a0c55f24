// live_approvals.cc: connects the approval queue, its user interfaces, the journal and the policy.
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
#include "plan/missing_own.h"
#include "safety/risk.h"
#include "settings/own_directories.h"

namespace pinfold::cli {
namespace {

constexpr std::size_t kMaxCommand = 160;
constexpr std::size_t kMaxLateRequests = 10;  // requests after the command has ended

// The command line, cut to kMaxCommand bytes.
std::string command_of(const RunOptions& options) {
  if (options.implied_shell && options.argv.size() > 3) return {};  // the start-up script of `pinfold shell`
  const std::string whole = text::shell_words(options.argv);
  return whole.size() <= kMaxCommand ? whole : std::string(utf8_head(whole, kMaxCommand)) + "…";
}

}  // namespace

LiveApprovals::LiveApprovals(const RunOptions& options, const Caller& caller, const PreparedRun& prepared,
                             RunJournal& journal, std::vector<Grant> grants, Context& context)
    : policy_(prepared.policy),
      options_(options),
      caller_(caller),
      workspaces_(prepared.workspaces),
      grants_(std::move(grants)),
      journal_(journal),
      context_(context),
      store_(caller, context.host),
      queue_({.remember = [this](const ApprovalRequest& request, const Grant& grant) { remember(request, grant); },
              .forget = [this](const Grant& grant) { forget(grant); },
              .assess =
                  [this](const ApprovalRequest& request) {
                    return safety::risk_of(request.operation, request.resource, caller_.home, workspaces_);
                  },
              .requested = [this](const ApprovalRequest& request) { journal_.record_request(request); },
              .decided = [this](const ApprovalRequest& request, ApprovalDecision decision,
                                const std::string& by) { journal_.record_decision(request, decision, by); }}) {
  store_.hold();
  if (options.ask == AskMode::kTerminal) {
    terminal_ = std::make_unique<TerminalApprovalUi>(queue_, command_of(options), context.host);
    queue_.add_ui(*terminal_);
  }
  if (options.ask == AskMode::kWeb) {
    const std::string workspace = workspaces_.empty() ? std::string() : workspaces_[0];
    web_ = make_web_approval_ui(queue_, options.argv, workspace, context.host);
    queue_.add_ui(*web_);
  }
}

supervisor::Widen LiveApprovals::widen() {
  return [this](const std::vector<Grant>& grants) -> Result<Plan> {
    std::vector<Grant> all = grants_;
    all.insert(all.end(), grants.begin(), grants.end());
    PF_TRY(planned, plan_for(*policy_, Consent::kGiven, options_, caller_, context_.host, all));
    if (const auto missing = plan::missing_own(planned.plan, context_.host); !missing.empty()) {
      PF_TRY(made, settings::make_own_directories(missing));
      temporary_.push_back(std::move(made));
      PF_TRY(again, plan_for(*policy_, Consent::kGiven, options_, caller_, context_.host, all));
      planned = std::move(again);
    }
    return std::move(planned.plan);
  };
}

std::vector<Grant> LiveApprovals::ask_afterwards(const Report& report) {
  const auto is_absent = [](const Coverage& row) {
    return row.step == step_name::kObserve && row.strength != Strength::kEnforced;
  };
  if (!terminal_ || std::none_of(report.coverage.begin(), report.coverage.end(), is_absent)) return {};
  std::vector<Grant> granted;
  std::set<std::string> asked;
  for (const Denial& denial : report.denials) {
    if (!denial.grant || denial.grant->kind == Grant::Kind::kNetwork || asked.size() >= kMaxLateRequests) continue;
    if (!asked.insert(plan::flag_of(*denial.grant)).second) continue;
    if (asked.size() == 1)
      print(STDERR_FILENO, fmt::format("pinfold: backend {} cannot hold a denied call while you decide: the command is "
                                       "run again with the grants that "
                                       "you give now\n",
                                       report.backend));
    ApprovalRequest request = supervisor::approval_request_for(denial);
    request.id = asked.size();
    request.once = false;
    if (const ApprovalDecision decision = ask_and_wait(request); decision != ApprovalDecision::kDeny) {
      granted.push_back(*denial.grant);
      queue_.granted(*denial.grant, decision);
    }
  }
  if (!granted.empty()) print(STDERR_FILENO, "pinfold: running it again\n");
  return granted;
}

ApprovalDecision LiveApprovals::ask_and_wait(const ApprovalRequest& request) {
  struct Nothing final : supervisor::Streams {
    void hold() override {}
    void release() override {}
    void interrupt() override {}
  } nothing;
  auto loop = sys::EventLoop::create();
  if (!loop) return ApprovalDecision::kDeny;
  ApprovalDecision out = ApprovalDecision::kDeny;
  queue_.begin(*loop, nothing);
  bool decided = false;
  queue_.ask(request, [&](ApprovalDecision decision) {
    out = decision;
    decided = true;
    if (decision == ApprovalDecision::kAlways && request.grant) remember(request, *request.grant);
    loop->stop();
  });
  if (!decided) static_cast<void>(loop->run());
  queue_.end();
  return out;
}

// A permanent grant holds for this project only: other projects did not ask for it.
void LiveApprovals::remember(const ApprovalRequest& request, const Grant& grant) {
  std::optional<std::string> project;
  if (!workspaces_.empty()) project = workspaces_.front();
  if (auto added = store_.add(session::stored_grant(request, grant, std::move(project))); !added)
    notes_.push_back(fmt::format("{} is allowed for this run, but the grant was not saved: {}{}", grant.resource,
                                 added.error().text(),
                                 added.error().fix().empty() ? "" : " (" + added.error().fix() + ")"));
}

void LiveApprovals::forget(const Grant& grant) {
  session::GrantScope scope;
  scope.projects = workspaces_;
  std::vector<std::uint64_t> numbers;
  for (const session::StoredGrant& each : store_.list(scope).grants)
    if (each.grant == grant) numbers.push_back(each.number);
  if (numbers.empty()) return;
  if (auto revoked = store_.revoke(numbers); !revoked)
    notes_.push_back(grant.resource +
                     " is revoked for this run, but the saved grant remains: " + revoked.error().text());
}

std::vector<std::string> LiveApprovals::notes() {
  if (queue_.refused() > 0)
    notes_.push_back(fmt::format("{} approval request{} denied without asking: {}", queue_.refused(),
                                 queue_.refused() == 1 ? " was" : "s were", queue_.refused_because()));
  if (queue_.flooded() > 0)
    notes_.push_back(fmt::format("{} approval request{} denied without asking: there were too many", queue_.flooded(),
                                 queue_.flooded() == 1 ? " was" : "s were"));
  return std::move(notes_);
}

}  // namespace pinfold::cli
