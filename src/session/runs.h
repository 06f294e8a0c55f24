// runs.h: lines of the journal put together again: one record for each run, and counts over many.
// Invariant: values only; a run whose first lines were rotated away is still a record, with what is left of it.
// Not here: reading files (journal_reader.h), showing (cli/log.cc, cli/stats.cc).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "session/journal_entry.h"

namespace pinfold::session {

struct RunRecord {
  std::string id;
  Moment time;  // of its first line
  std::optional<RunStarted> started{};
  std::vector<RunDenied> denied{};
  std::vector<RunUsed> used{};
  std::vector<QuestionAsked> questions{};
  std::vector<AnswerGiven> answers{};
  std::optional<RunEnded> ended{};
  std::vector<std::string> lines{};  // as written, if they were kept

  // Something was denied to it, or the policy refused it altogether.
  bool was_denied() const;
};

enum class Lines { kDrop, kKeep };

// Gathers lines into runs, in the order of their first lines; at most `most` runs are kept, the newest.
class Runs {
 public:
  Runs(std::size_t most, Lines lines) : most_(most), lines_(lines) {}

  // The record that the line belongs to; null for a line of no run.
  RunRecord* add(std::string_view line, const Entry& entry);
  std::deque<RunRecord>& all() { return all_; }

 private:
  std::size_t most_;
  Lines lines_;
  std::deque<RunRecord> all_;
  std::uint64_t dropped_ = 0;
  std::unordered_map<std::string, std::uint64_t> number_;  // of a run, counted from the first that there was
};

// The program that a run or a denial is counted under: "make"; for `sh -c 'make test'` the shell.
std::string program_of(const std::vector<std::string>& argv);

struct Counts {
  std::uint64_t runs = 0;
  std::uint64_t denials = 0;  // things denied, each once for each run
  std::uint64_t hits = 0;     // how often they were tried
  std::uint64_t questions = 0;
  std::uint64_t answers = 0;
};

// What came before `from` is not counted, but still says which program a later line is about.
class Tally {
 public:
  explicit Tally(Moment from = Moment::min()) : from_(from) {}

  Counts all;
  std::map<std::string, std::uint64_t> outcomes;  // "exited 0", "failed", "timed out"…
  std::map<std::string, std::uint64_t> answers;   // "deny", "once"…
  std::map<std::string, Counts> programs;
  std::map<std::pair<std::string, std::string>, Counts> resources;  // operation and resource

  void add(const Entry& entry);

 private:
  struct Asked {
    std::string program;
    std::pair<std::string, std::string> about;
  };
  Moment from_;
  std::unordered_map<std::string, std::string> program_;  // of each run
  std::unordered_map<std::string, Asked> asked_;          // by the question's id
};

// "ok", "exit 2", "SIGKILL", "timed out", "refused", "not found", "failed": for a column, and to count by.
std::string outcome_word(const Outcome& outcome);

}  // namespace pinfold::session
