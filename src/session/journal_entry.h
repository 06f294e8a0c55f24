// journal_entry.h: one line of the journal as a value: start, denial, end, approval request, decision.
// Invariant: line_of() redacts secrets before it cuts and never returns more than kLongestLine bytes; entry_of() parses
// exactly the lines that line_of() writes. Not here: files (journal.h). The format: docs/reference/journal.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/timestamp.h"
#include "pinfold/approval.h"
#include "pinfold/report.h"

namespace pinfold::session {

inline constexpr std::string_view kJournalSchema = "pinfold.journal/1";
inline constexpr std::size_t kLongestLine = 16 * 1024;  // with its newline

struct RunStart {
  std::vector<std::string> argv;
  std::string working_dir{};
  std::vector<std::string> workspaces{};
  std::string profile{};  // empty: reading the policy failed before
  std::int64_t pid = 0;   // of the supervisor, to tell whether a run without an end still runs
};

struct RunDenial {
  Denial denial;
};

// An operation on the host on behalf of the run, such as reading the clipboard.
struct RunHostUse {
  std::string operation{};  // "copy", "paste"
  std::string resource{};   // "clipboard"
  std::uint64_t bytes = 0;
  std::string problem{};  // empty: it succeeded
};

struct RunEnd {
  Outcome outcome;
  std::string backend{};
  std::chrono::milliseconds duration{0};
  std::uint64_t denials = 0;  // all denials, including those without a line
};

struct RunApprovalRequest {
  std::string id{};         // the decision names it
  std::string operation{};  // "read", "connect"…
  std::string resource{};
  std::string program{};
  std::string because{};  // the rule that denies it
};

struct RunDecision {
  std::string request{};  // its id
  ApprovalDecision decision = ApprovalDecision::kDeny;
  std::string by{};  // "terminal", "page", "time-out"
};

// A line of a kind that this version does not know.
struct UnknownEntry {
  std::string kind;
};

struct JournalEntry {
  Moment time;
  std::string run{};  // empty: belongs to no run
  std::variant<RunStart, RunDenial, RunHostUse, RunEnd, RunApprovalRequest, RunDecision, UnknownEntry> event;
};

// ASCII, ends with a newline.
std::string line_of(const JournalEntry& entry);

// nullopt for an incomplete, foreign or damaged line.
std::optional<JournalEntry> entry_of(std::string_view line);

}  // namespace pinfold::session
