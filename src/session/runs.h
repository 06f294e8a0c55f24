// runs.h: groups journal lines by run, and counts over many runs.
// Invariant: values only; a run whose first lines were rotated away still gets a record of its remaining lines.
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
  std::optional<RunStart> started{};
  std::vector<RunDenial> denied{};
  std::vector<RunHostUse> used{};
  std::vector<RunApprovalRequest> requests{};
  std::vector<RunDecision> decisions{};
  std::optional<RunEnd> ended{};
  std::vector<std::string> lines{};  // unchanged, with Lines::kKeep

  // A call was denied, or the run was refused.
  bool was_denied() const;
};

enum class Lines { kDrop, kKeep };

// Groups lines into runs, in the order of their first lines; keeps at most the newest `most` runs.
class Runs {
 public:
  Runs(std::size_t most, Lines lines) : most_(most), lines_(lines) {}

  // The record of the line's run; null for a line of no run.
  RunRecord* add(std::string_view line, const JournalEntry& entry);
  std::deque<RunRecord>& all() { return all_; }

 private:
  std::size_t most_;
  Lines lines_;
  std::deque<RunRecord> all_;
  std::uint64_t dropped_ = 0;
  std::unordered_map<std::string, std::uint64_t> number_;  // of each run id, counted from the first run
};

// The program name for counting: "make"; for `sh -c 'make test'` the shell.
std::string program_of(const std::vector<std::string>& argv);

struct Counts {
  std::uint64_t runs = 0;
  std::uint64_t denials = 0;  // denied resources, each counted once for each run
  std::uint64_t hits = 0;     // number of attempts
  std::uint64_t requests = 0;
  std::uint64_t decisions = 0;
};

// Lines before `from` are not counted, but still give the program name for later lines.
class Tally {
 public:
  explicit Tally(Moment from = Moment::min()) : from_(from) {}

  Counts all;
  std::map<std::string, std::uint64_t> outcomes;   // "exited 0", "failed", "timed out"…
  std::map<std::string, std::uint64_t> decisions;  // "deny", "once"…
  std::map<std::string, Counts> programs;
  std::map<std::pair<std::string, std::string>, Counts> resources;  // operation and resource

  void add(const JournalEntry& entry);

 private:
  struct RequestSubject {
    std::string program;
    std::pair<std::string, std::string> resource;  // operation and resource
  };
  Moment from_;
  std::unordered_map<std::string, std::string> program_;      // of each run
  std::unordered_map<std::string, RequestSubject> subjects_;  // by the id of the request
};

// "ok", "exit 2", "SIGKILL", "timed out", "refused", "not found", "failed": for a table column and for counts.
std::string outcome_word(const Outcome& outcome);

}  // namespace pinfold::session
