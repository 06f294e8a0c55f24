// prompt.cc: asks the user at the terminal.
// Invariant: without a terminal, without a line, or with another line than "y" or "yes", the answer is no. Keys typed
// before the question are discarded.
// Not here: when to ask (supervisor).
#include "cli/prompt.h"

#include <termios.h>
#include <unistd.h>

#include <string>

#include <fmt/format.h>

#include "cli/process_io.h"
#include "report/gaps.h"
#include "report/table.h"
#include "sys/call.h"

namespace pinfold::cli {

std::optional<std::string> ask_line(const std::string& question) {
  if (!is_terminal(STDIN_FILENO) || !is_terminal(STDERR_FILENO)) return std::nullopt;
  print(STDERR_FILENO, question);
  // Discard keys that were typed before the question was printed.
  ::tcflush(STDIN_FILENO, TCIFLUSH);
  std::string answer;
  while (answer.size() < 64) {
    char key = 0;
    // One byte at a time: bytes after the line are input of the command.
    const auto got = sys::call("read", "terminal", [&] { return ::read(STDIN_FILENO, &key, 1); });
    if (!got || *got == 0) return std::nullopt;
    if (key == '\n') break;
    answer += key;
  }
  return answer;
}

bool ask(const std::string& question) {
  const std::string answer = ask_line(question + " [y/N] ").value_or("");
  return answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes" || answer == "YES";
}

ApprovalDecision TerminalDecider::decide(const DecisionRequest& question) {
  const auto* asked = std::get_if<GapRequest>(&question);
  if (asked == nullptr) return ApprovalDecision::kDeny;  // terminal_approval_ui.h
  const GapRequest& gap = *asked;
  const report::TextFormat format = format_for(STDERR_FILENO, host_);
  std::string text = report::paint("pinfold:", report::Paint::kWarn, format.colour);
  text += fmt::format(" backend {} does not enforce every required step\n", report::visible(gap.backend));
  text += report::gap_table(gap.gaps, format) + report::fix_list(gap.fixes, format);
  return ask(text + "Run it anyway?") ? ApprovalDecision::kOnce : ApprovalDecision::kDeny;
}

}  // namespace pinfold::cli
