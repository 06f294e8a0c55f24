// prompt.cc: asks the user at the console.
// Invariant: without a console, without a line, or with another line than "y" or "yes", the answer is no.
#include "cli/prompt.h"

#include <unistd.h>

#include "cli/process_io.h"
#include "report/gaps.h"
#include "sys/windows/winapi.h"

namespace pinfold::cli {

std::optional<std::string> ask_line(const std::string& question) {
  if (!is_terminal(STDIN_FILENO) || !is_terminal(STDERR_FILENO)) return std::nullopt;
  const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
  ::FlushConsoleInputBuffer(input);  // discard keys that were typed before the question
  print(STDERR_FILENO, question);
  std::wstring line(512, L'\0');
  DWORD got = 0;
  if (::ReadConsoleW(input, line.data(), static_cast<DWORD>(line.size()), &got, nullptr) == 0) return std::nullopt;
  line.resize(got);
  const std::size_t end = line.find_first_of(L"\r\n");
  if (end == std::wstring::npos) return std::nullopt;
  return sys::narrow(line.substr(0, end));
}

bool ask(const std::string& question) {
  const auto answer = ask_line(question + " [y/N] ");
  return answer && (*answer == "y" || *answer == "yes");
}

ApprovalDecision TerminalDecider::decide(const DecisionRequest& question) {
  const auto* gap = std::get_if<GapRequest>(&question);
  if (gap == nullptr || !is_terminal(STDERR_FILENO)) return ApprovalDecision::kDeny;
  const report::TextFormat format = format_for(STDERR_FILENO, host_);
  print(STDERR_FILENO,
        "pinfold: the backend does not enforce every required step\n" + report::gap_table(gap->gaps, format));
  return ask("Run it anyway?") ? ApprovalDecision::kOnce : ApprovalDecision::kDeny;
}

}  // namespace pinfold::cli
