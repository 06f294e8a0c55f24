// prompt.cc: asks the person at the terminal.
// Invariant: no terminal, no answer, anything but "y" or "yes": no. What was typed before the question is thrown away.
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
  // Keys pressed before the question was on the screen are no answer to it.
  ::tcflush(STDIN_FILENO, TCIFLUSH);
  std::string answer;
  while (answer.size() < 64) {
    char key = 0;
    // One byte at a time: what follows the line belongs to the command.
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

Answer TerminalDecider::decide(const Question& question) {
  const auto* asked = std::get_if<GapQuestion>(&question);
  if (asked == nullptr) return Answer::kDeny;  // terminal_approval_ui.h
  const GapQuestion& gap = *asked;
  const report::Paper paper = paper_for(STDERR_FILENO, host_);
  std::string text = report::paint("pinfold:", report::Paint::kWarn, paper.colour);
  text += fmt::format(" {} does not enforce all that is required\n", report::visible(gap.backend));
  text += report::gap_table(gap.gaps, paper) + report::fix_list(gap.fixes, paper);
  return ask(text + "Run it all the same?") ? Answer::kOnce : Answer::kDeny;
}

}  // namespace pinfold::cli
