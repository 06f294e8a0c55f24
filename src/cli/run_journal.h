// run_journal.h: the journal entries of one run.
// Invariant: a run never fails, and never waits long, because of its journal; end() reports an error, once.
// Not here: the journal itself (session/journal.h), switching it off (settings/load.h).
#pragma once

#include <optional>
#include <string>

#include "pinfold/approval.h"
#include "pinfold/report.h"
#include "session/journal.h"

namespace pinfold::cli {

class RunJournal {
 public:
  RunJournal() = default;  // records nothing
  RunJournal(std::string directory, session::RunStart run);

  // A secret in the command's environment, to be redacted in entries.
  void add_secret(std::string name, std::string value) { secrets_.emplace_back(std::move(name), std::move(value)); }

  // Writes the entry of the start, when the command starts.
  void begin();
  void record_request(const ApprovalRequest& request);
  void record_decision(const ApprovalRequest& request, ApprovalDecision decision, const std::string& by);
  // Records the decision about command advice, before the command runs.
  void record_advice(std::string text, std::string because, ApprovalDecision decision, std::string by);
  // Pinfold used a resource of the host for the command; `problem`: why it could not.
  void record_use(std::string operation, std::string resource, std::uint64_t bytes, std::string problem);
  // Writes the denials and the end, and the start if the run never began. Returns a note if the journal cannot be
  // written, or an empty text.
  std::string end(const Report& report);

 private:
  std::vector<session::JournalEntry> take_pending();  // the entries that are not written yet
  void append(const std::vector<session::JournalEntry>& entries);

  std::string directory_;
  sys::Fd held_;                                       // that directory, opened before the run
  std::optional<session::JournalEntry> start_;         // until it is written
  std::vector<session::JournalEntry> pending_advice_;  // written after it
  std::string run_;
  std::vector<std::pair<std::string, std::string>> secrets_;
  std::optional<session::Journal> journal_;
  std::optional<Error> problem_;
  std::size_t uses_ = 0;
};

}  // namespace pinfold::cli
