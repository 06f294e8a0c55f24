// journal_entry.h: one line of the journal as a value: a run's start, what it was denied, its end; questions and answers.
// Invariant: line_of() takes secrets out first and never makes a line longer than kLongestLine; entry_of() reads every
// line that line_of() wrote, and nothing else. Not here: files (journal.h), docs/journal.md has the format.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/timestamp.h"
#include "pinfold/question.h"
#include "pinfold/report.h"

namespace pinfold::session {

inline constexpr std::string_view kJournalSchema = "pinfold.journal/1";
inline constexpr std::size_t kLongestLine = 16 * 1024;  // with its newline

struct RunStarted {
  std::vector<std::string> argv;
  std::string working_dir{};
  std::vector<std::string> workspaces{};
  std::string profile{};  // empty: the policy was not read that far
  std::int64_t pid = 0;   // of the supervisor: is a run without an end still going on?
};

struct RunDenied {
  Denial denial;
};

// Something of the host's that was used on the run's behalf, such as the clipboard.
struct RunUsed {
  std::string operation{};  // "copy", "paste"
  std::string resource{};   // "clipboard"
  std::uint64_t bytes = 0;
  std::string problem{};  // empty: it was done
};

struct RunEnded {
  Outcome outcome;
  std::string backend{};
  std::chrono::milliseconds duration{0};
  std::uint64_t denials = 0;  // of all of them, also those that got no line
};

struct QuestionAsked {
  std::string question{};   // its id, which the answer names
  std::string operation{};  // "read", "connect"…
  std::string resource{};
  std::string program{};
  std::string because{};  // the rule that would say no
};

struct AnswerGiven {
  std::string question{};
  Answer answer = Answer::kDeny;
  std::string by{};  // "terminal", "page", "time-out"
};

// A kind that a later version writes.
struct Unknown {
  std::string kind;
};

struct Entry {
  Moment time;
  std::string run{};  // empty for what belongs to no run
  std::variant<RunStarted, RunDenied, RunUsed, RunEnded, QuestionAsked, AnswerGiven, Unknown> what;
};

// Plain ASCII with a newline at its end.
std::string line_of(const Entry& entry);

// Nothing for a torn, foreign or damaged line.
std::optional<Entry> entry_of(std::string_view line);

}  // namespace pinfold::session
