// prompt.cc: asks the person at the console.
// Invariant: no console, no answer, anything but "y" or "yes": no.
#include "cli/prompt.h"

#include <unistd.h>

#include "cli/process_io.h"
#include "report/gaps.h"
#include "sys/windows/winapi.h"

namespace pinfold::cli {

std::optional<std::string> ask_line(const std::string& question) {
  if (!is_terminal(STDIN_FILENO) || !is_terminal(STDERR_FILENO)) return std::nullopt;
  const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
  ::FlushConsoleInputBuffer(input);  // what was typed before the question is no answer to it
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

Answer TerminalDecider::decide(const Question& question) {
  const auto* gap = std::get_if<GapQuestion>(&question);
  if (gap == nullptr || !is_terminal(STDERR_FILENO)) return Answer::kDeny;
  const report::Paper paper = paper_for(STDERR_FILENO, host_);
  print(STDERR_FILENO, "pinfold: not all that is required can be enforced\n" + report::gap_table(gap->gaps, paper));
  return ask("Run it all the same?") ? Answer::kOnce : Answer::kDeny;
}

}  // namespace pinfold::cli
