// run_journal.cc: the journal entries of one run.
// Invariant: a short run costs one open and one write besides its start.
// Not here: the journal itself (session/journal.cc).
#include "cli/run_journal.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "report/render.h"

namespace pinfold::cli {

namespace {

constexpr std::size_t kMaxDenials = 1000;  // entries of one run; the entry of its end has the full count
constexpr std::size_t kMaxUses = 1000;

}  // namespace

RunJournal::RunJournal(std::string directory, session::RunStart run)
    : directory_(std::move(directory)), held_(session::Journal::hold(directory_)), run_(session::new_run_id()) {
  run.pid = ::getpid();
  start_ = session::JournalEntry{std::chrono::system_clock::now(), run_, std::move(run)};
}

void RunJournal::append(const std::vector<session::JournalEntry>& entries) {
  if (problem_) return;
  if (!journal_) {
    auto opened = session::Journal::open(directory_, session::Journal::kRotateAt, std::move(held_));
    if (!opened) {
      problem_ = std::move(opened).error();
      return;
    }
    journal_ = std::move(*opened);
    for (const auto& [name, value] : secrets_) journal_->hide(name, value);
  }
  if (auto written = journal_->append(entries); !written) problem_ = std::move(written).error();
}

void RunJournal::begin() {
  if (!start_) return;
  append(take_pending());
}

std::vector<session::JournalEntry> RunJournal::take_pending() {
  std::vector<session::JournalEntry> out;
  if (start_) out.push_back(*std::exchange(start_, std::nullopt));
  for (session::JournalEntry& entry : pending_advice_) out.push_back(std::move(entry));
  pending_advice_.clear();
  return out;
}

void RunJournal::record_advice(std::string text, std::string because, ApprovalDecision decision, std::string by) {
  if (run_.empty()) return;
  const auto now = std::chrono::system_clock::now();
  pending_advice_.push_back(
      {now, run_, session::RunApprovalRequest{"advice", "run", std::move(text), "", std::move(because)}});
  pending_advice_.push_back({now, run_, session::RunDecision{"advice", decision, std::move(by)}});
}

void RunJournal::record_request(const ApprovalRequest& request) {
  if (run_.empty()) return;
  append({{std::chrono::system_clock::now(), run_,
           session::RunApprovalRequest{std::to_string(request.id), request.operation, request.resource, request.program,
                                       request.rule}}});
}

void RunJournal::record_decision(const ApprovalRequest& request, ApprovalDecision decision, const std::string& by) {
  if (run_.empty()) return;
  append({{std::chrono::system_clock::now(), run_, session::RunDecision{std::to_string(request.id), decision, by}}});
}

void RunJournal::record_use(std::string operation, std::string resource, std::uint64_t bytes, std::string problem) {
  if (run_.empty() || ++uses_ > kMaxUses) return;
  std::vector<session::JournalEntry> entries = take_pending();
  entries.push_back({std::chrono::system_clock::now(), run_,
                     session::RunHostUse{std::move(operation), std::move(resource), bytes, std::move(problem)}});
  append(entries);
}

std::string RunJournal::end(const Report& report) {
  if (run_.empty()) return {};
  const auto now = std::chrono::system_clock::now();
  std::vector<session::JournalEntry> entries = take_pending();
  for (std::size_t i = 0; i < std::min(report.denials.size(), kMaxDenials); ++i)
    entries.push_back({now, run_, session::RunDenial{report.denials[i]}});
  entries.push_back({now, run_,
                     session::RunEnd{report.outcome, report.backend,
                                     std::chrono::duration_cast<std::chrono::milliseconds>(report.usage.wall),
                                     report.denials.size()}});
  append(entries);
  if (!problem_) return {};
  return fmt::format("pinfold: note: this run is not in the journal: {}{}\n", report::visible(problem_->text()),
                     problem_->fix().empty() ? "" : " (" + report::visible(problem_->fix()) + ")");
}

}  // namespace pinfold::cli
