// runs.cc: groups journal lines by run.
// Invariant: reads each line once; memory grows with the number of kept runs.
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

const char* name_of(ApprovalDecision decision) {
  switch (decision) {
    case ApprovalDecision::kOnce: return "once";
    case ApprovalDecision::kSession: return "session";
    case ApprovalDecision::kAlways: return "always";
    case ApprovalDecision::kDeny: break;
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

RunRecord* Runs::add(std::string_view line, const JournalEntry& entry) {
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
    if (all_.size() > most_) {  // its number stays, so that later lines do not start a new record
      all_.pop_front();
      ++dropped_;
    }
  }
  if (lines_ == Lines::kKeep) record->lines.emplace_back(line);
  if (const auto* started = std::get_if<RunStart>(&entry.event)) record->started = *started;
  if (const auto* denied = std::get_if<RunDenial>(&entry.event)) record->denied.push_back(*denied);
  if (const auto* used = std::get_if<RunHostUse>(&entry.event)) record->used.push_back(*used);
  if (const auto* request = std::get_if<RunApprovalRequest>(&entry.event)) record->requests.push_back(*request);
  if (const auto* decision = std::get_if<RunDecision>(&entry.event)) record->decisions.push_back(*decision);
  if (const auto* ended = std::get_if<RunEnd>(&entry.event)) record->ended = *ended;
  return record;
}

void Tally::add(const JournalEntry& entry) {
  const auto program_for = [&](const std::string& named) -> std::string {
    if (!named.empty()) return program_of({named});
    const auto found = program_.find(entry.run);
    return found == program_.end() ? kUnknownProgram : found->second;
  };
  const auto each = [&](const std::string& program, const std::pair<std::string, std::string>& resource, auto change) {
    if (entry.time < from_) return;
    for (Counts* counts : {&all, &programs[program], &resources[resource]}) change(*counts);
  };
  if (const auto* started = std::get_if<RunStart>(&entry.event)) {
    const std::string program = program_[entry.run] = program_of(started->argv);
    if (entry.time < from_) return;
    ++all.runs;
    ++programs[program].runs;
  } else if (const auto* denied = std::get_if<RunDenial>(&entry.event)) {
    each(program_for(denied->denial.program), {denied->denial.operation, denied->denial.resource}, [&](Counts& counts) {
      ++counts.denials;
      counts.hits += denied->denial.count;
    });
  } else if (const auto* ended = std::get_if<RunEnd>(&entry.event)) {
    if (entry.time >= from_) ++outcomes[outcome_word(ended->outcome)];
  } else if (const auto* request = std::get_if<RunApprovalRequest>(&entry.event)) {
    const RequestSubject& subject =
        subjects_[request->id] = {program_for(request->program), {request->operation, request->resource}};
    each(subject.program, subject.resource, [](Counts& counts) { ++counts.requests; });
  } else if (const auto* decision = std::get_if<RunDecision>(&entry.event)) {
    if (entry.time >= from_) ++decisions[name_of(decision->decision)];
    if (const auto subject = subjects_.find(decision->request); subject != subjects_.end())
      each(subject->second.program, subject->second.resource, [](Counts& counts) { ++counts.decisions; });
    else if (entry.time >= from_)
      ++all.decisions;
  }
}

}  // namespace pinfold::session
