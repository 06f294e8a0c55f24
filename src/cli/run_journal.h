// run_journal.h: the lines of one run in the journal.
// Invariant: a run never fails, and never waits long, because of its journal; what went wrong is told once, at the end.
// Not here: the journal itself (session/journal.h), whether it is wanted (settings/load.h).
#pragma once

#include <optional>
#include <string>

#include "pinfold/question.h"
#include "pinfold/report.h"
#include "session/journal.h"

namespace pinfold::cli {

class RunJournal {
 public:
  RunJournal() = default;  // records nothing
  RunJournal(std::string directory, session::RunStarted run);

  // A secret that the command is given.
  void hide(std::string name, std::string value) { secrets_.emplace_back(std::move(name), std::move(value)); }

  // The command runs: from here on a run that never ends is seen in the journal.
  void begin();
  void asked(const AccessQuestion& question);
  void answered(const AccessQuestion& question, Answer answer, const std::string& by);
  // Before the command ran, somebody or something was asked whether its text may.
  void advised(std::string text, std::string because, Answer answer, std::string by);
  // Something of the host's was used on the command's behalf; `problem`: or could not be.
  void used(std::string operation, std::string resource, std::uint64_t bytes, std::string problem);
  // What happened, and for a run that never began what it would have been. A note for people if that cannot be
  // recorded.
  std::string end(const Report& report);

 private:
  std::vector<session::Entry> opening();  // what is to be written before anything else
  void append(const std::vector<session::Entry>& entries);

  std::string directory_;
  sys::Fd held_;                         // that directory, since before the run
  std::optional<session::Entry> start_;  // until it is written
  std::vector<session::Entry> advice_;   // goes behind it
  std::string run_;
  std::vector<std::pair<std::string, std::string>> secrets_;
  std::optional<session::Journal> journal_;
  std::optional<Error> problem_;
  std::size_t uses_ = 0;
};

}  // namespace pinfold::cli
