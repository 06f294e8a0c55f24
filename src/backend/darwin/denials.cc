// denials.cc: builds the predicate for the system log and reads operation and path of each line.
// Invariant: a line that cannot be parsed is skipped. Not here: reading the log (seatbelt.cc).
#include "backend/darwin/denials.h"

#include <charconv>

#include "base/text.h"

namespace pinfold::backend::darwin {
namespace {

using std::string_view;

// The operation in the words of a report; empty for those that a report leaves out (services, probes of the runtime).
const char* words_for(string_view operation) {
  if (operation.starts_with("file-read")) return "read";
  if (operation == "file-write-create") return "create";
  if (operation == "file-write-unlink") return "delete";
  if (operation.starts_with("file-write")) return "write";
  if (operation.starts_with("process-exec")) return "exec";
  if (operation == "network-bind" || operation == "network-inbound") return "bind";
  if (operation.starts_with("network")) return "connect";
  return "";
}

}  // namespace

std::string log_predicate(string_view tag) { return "eventMessage CONTAINS \"" + std::string(tag) + "\""; }

std::optional<Denial> denial_from_log(string_view line, const plan::PlanView& view) {
  constexpr string_view kStart = "Sandbox: ";
  const auto start = line.find(kStart);
  if (start == string_view::npos) return std::nullopt;
  line.remove_prefix(start + kStart.size());
  const auto deny = line.find(" deny(");
  if (deny == string_view::npos) return std::nullopt;
  const string_view process = line.substr(0, deny);
  const auto open = process.rfind('(');
  if (open == string_view::npos || !process.ends_with(')')) return std::nullopt;
  line.remove_prefix(deny + 1);
  const auto space = line.find(' ');
  if (space == string_view::npos) return std::nullopt;
  line.remove_prefix(space + 1);
  const auto end = line.find(' ');
  if (end == string_view::npos) return std::nullopt;
  const string_view operation = line.substr(0, end);
  Denial denial;
  denial.operation = words_for(operation);
  denial.resource = line.substr(end + 1);
  if (denial.operation.empty() || denial.resource.empty()) return std::nullopt;
  denial.source = DenialSource::kObserved;
  denial.program = process.substr(0, open);
  const string_view digits = process.substr(open + 1, process.size() - open - 2);
  std::from_chars(digits.data(), digits.data() + digits.size(), denial.pid);
  if (!denial.resource.starts_with("/")) {
    denial.rule = "network: no rule allows it";
    return denial;
  }
  const plan::PathLookup lookup = view.look_up(denial.resource);
  denial.rule = lookup.rule;
  const bool reads = denial.operation == "read" || denial.operation == "exec";
  denial.allow_with = (reads ? "--read " : "--write ") + text::shell_word(denial.resource);
  return denial;
}

}  // namespace pinfold::backend::darwin
