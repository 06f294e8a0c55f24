// runs.cc: lines of the journal put together again.
// Invariant: each line is looked at once; memory grows with the runs that are kept.
// Not here: reading files (journal_reader.cc), showing (cli/log.cc, cli/stats.cc).
#include "session/runs.h"

#include "base/paths.h"
#include "report/outcome.h"

namespace pinfold::session {
namespace {

struct Word {
  std::string operator()(const Exited& o) const { return o.code == 0 ? "ok" : "exit " + std::to_string(o.code); }
  std::string operator()(const Signaled& o) const { return o.by.empty() ? report::signal_name(o.signal) : o.by; }
  std::string operator()(const TimedOut&) const { return "timed out"; }
  std::string operator()(const Refused&) const { return "refused"; }
  std::string operator()(const SetupFailed& o) const {
    return o.stage == SetupStage::kNotFound ? "not found" : "failed";
  }
};

constexpr const char* kUnknownProgram = "(unknown)";

const char* name_of(Answer answer) {
  switch (answer) {
    case Answer::kOnce: return "once";
    case Answer::kSession: return "session";
    case Answer::kAlways: return "always";
    case Answer::kDeny: break;
  }
  return "deny";
}

}  // namespace

std::string outcome_word(const Outcome& outcome) { return std::visit(Word{}, outcome); }

std::string program_of(const std::vector<std::string>& argv) {
  if (argv.empty() || argv[0].empty()) return kUnknownProgram;
  const std::string_view first = argv[0];
  const std::size_t slash = first.rfind('/');
  return std::string(slash == std::string_view::npos || slash + 1 == first.size() ? first : first.substr(slash + 1));
}

bool RunRecord::was_denied() const {
  if (!denied.empty()) return true;
  return ended && (ended->denials > 0 || std::holds_alternative<Refused>(ended->outcome));
}

RunRecord* Runs::add(std::string_view line, const Entry& entry) {
  if (entry.run.empty()) return nullptr;
  const auto known = number_.find(entry.run);
  RunRecord* record = nullptr;
  if (known != number_.end()) {
    if (known->second < dropped_) return nullptr;
    record = &all_[known->second - dropped_];
  } else {
    number_.emplace(entry.run, dropped_ + all_.size());
    all_.push_back({entry.run, entry.time});
    record = &all_.back();
    if (all_.size() > most_) {  // its number stays: lines that come later are not a new run's
      all_.pop_front();
      ++dropped_;
    }
  }
  if (lines_ == Lines::kKeep) record->lines.emplace_back(line);
  if (const auto* started = std::get_if<RunStarted>(&entry.what)) record->started = *started;
  if (const auto* denied = std::get_if<RunDenied>(&entry.what)) record->denied.push_back(*denied);
  if (const auto* used = std::get_if<RunUsed>(&entry.what)) record->used.push_back(*used);
  if (const auto* asked = std::get_if<QuestionAsked>(&entry.what)) record->questions.push_back(*asked);
  if (const auto* given = std::get_if<AnswerGiven>(&entry.what)) record->answers.push_back(*given);
  if (const auto* ended = std::get_if<RunEnded>(&entry.what)) record->ended = *ended;
  return record;
}

void Tally::add(const Entry& entry) {
  const auto program_for = [&](const std::string& named) -> std::string {
    if (!named.empty()) return program_of({named});
    const auto found = program_.find(entry.run);
    return found == program_.end() ? kUnknownProgram : found->second;
  };
  const auto each = [&](const std::string& program, const std::pair<std::string, std::string>& resource, auto change) {
    if (entry.time < from_) return;
    for (Counts* counts : {&all, &programs[program], &resources[resource]}) change(*counts);
  };
  if (const auto* started = std::get_if<RunStarted>(&entry.what)) {
    const std::string program = program_[entry.run] = program_of(started->argv);
    if (entry.time < from_) return;
    ++all.runs;
    ++programs[program].runs;
  } else if (const auto* denied = std::get_if<RunDenied>(&entry.what)) {
    each(program_for(denied->denial.program), {denied->denial.operation, denied->denial.resource}, [&](Counts& counts) {
      ++counts.denials;
      counts.hits += denied->denial.count;
    });
  } else if (const auto* ended = std::get_if<RunEnded>(&entry.what)) {
    if (entry.time >= from_) ++outcomes[outcome_word(ended->outcome)];
  } else if (const auto* asked = std::get_if<QuestionAsked>(&entry.what)) {
    const Asked& about = asked_[asked->question] = {program_for(asked->program), {asked->operation, asked->resource}};
    each(about.program, about.about, [](Counts& counts) { ++counts.questions; });
  } else if (const auto* given = std::get_if<AnswerGiven>(&entry.what)) {
    if (entry.time >= from_) ++answers[name_of(given->answer)];
    if (const auto about = asked_.find(given->question); about != asked_.end())
      each(about->second.program, about->second.about, [](Counts& counts) { ++counts.answers; });
    else if (entry.time >= from_)
      ++all.answers;
  }
}

}  // namespace pinfold::session
