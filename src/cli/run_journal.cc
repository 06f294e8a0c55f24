// run_journal.cc: the lines of one run in the journal.
// Invariant: a short run costs one open and one write more than its start.
// Not here: the journal itself (session/journal.cc).
#include "cli/run_journal.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "report/render.h"

namespace pinfold::cli {

namespace {

constexpr std::size_t kMostDenials = 1000;  // lines of one run; its end counts them all
constexpr std::size_t kMostUses = 1000;

}  // namespace

RunJournal::RunJournal(std::string directory, session::RunStarted run)
    : directory_(std::move(directory)), held_(session::Journal::hold(directory_)), run_(session::new_run_id()) {
  run.pid = ::getpid();
  start_ = session::Entry{std::chrono::system_clock::now(), run_, std::move(run)};
}

void RunJournal::append(const std::vector<session::Entry>& entries) {
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
  append(opening());
}

std::vector<session::Entry> RunJournal::opening() {
  std::vector<session::Entry> out;
  if (start_) out.push_back(*std::exchange(start_, std::nullopt));
  for (session::Entry& entry : advice_) out.push_back(std::move(entry));
  advice_.clear();
  return out;
}

void RunJournal::advised(std::string text, std::string because, Answer answer, std::string by) {
  if (run_.empty()) return;
  const auto now = std::chrono::system_clock::now();
  advice_.push_back({now, run_, session::QuestionAsked{"advice", "run", std::move(text), "", std::move(because)}});
  advice_.push_back({now, run_, session::AnswerGiven{"advice", answer, std::move(by)}});
}

void RunJournal::asked(const AccessQuestion& question) {
  if (run_.empty()) return;
  append({{std::chrono::system_clock::now(), run_,
           session::QuestionAsked{std::to_string(question.id), question.operation, question.resource, question.program,
                                  question.rule}}});
}

void RunJournal::answered(const AccessQuestion& question, Answer answer, const std::string& by) {
  if (run_.empty()) return;
  append({{std::chrono::system_clock::now(), run_, session::AnswerGiven{std::to_string(question.id), answer, by}}});
}

void RunJournal::used(std::string operation, std::string resource, std::uint64_t bytes, std::string problem) {
  if (run_.empty() || ++uses_ > kMostUses) return;
  std::vector<session::Entry> entries = opening();
  entries.push_back({std::chrono::system_clock::now(), run_,
                     session::RunUsed{std::move(operation), std::move(resource), bytes, std::move(problem)}});
  append(entries);
}

std::string RunJournal::end(const Report& report) {
  if (run_.empty()) return {};
  const auto now = std::chrono::system_clock::now();
  std::vector<session::Entry> entries = opening();
  for (std::size_t i = 0; i < std::min(report.denials.size(), kMostDenials); ++i)
    entries.push_back({now, run_, session::RunDenied{report.denials[i]}});
  entries.push_back({now, run_,
                     session::RunEnded{report.outcome, report.backend,
                                       std::chrono::duration_cast<std::chrono::milliseconds>(report.usage.wall),
                                       report.denials.size()}});
  append(entries);
  if (!problem_) return {};
  return fmt::format("pinfold: note: this run is not in the journal: {}{}\n", report::visible(problem_->text()),
                     problem_->fix().empty() ? "" : " (" + report::visible(problem_->fix()) + ")");
}

}  // namespace pinfold::cli
