// powershell_reader.cc: hostile PowerShell and cmd text, read and advised about.
// Invariant: every range and span is inside the text; a finding has a reason.
// Not here: the effect of the text (safety/advice_test.cc).
#include "safety/advice/powershell_reader.h"

#include <cstddef>
#include <cstdint>

#include "safety/advice/advice.h"
#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pinfold::advice;
  using pinfold::fuzz::promise;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Script script = read_powershell(text);
  promise(!script.commands.empty() && script.commands.back().words[0].text == kWholeText, "the whole text comes last");
  for (const Simple& command : script.commands) {
    promise(!command.words.empty(), "a command has words");
    promise(command.fed_by.last <= script.commands.size(), "a pipe comes from a command");
    promise(command.begin <= command.end && command.end <= size, "a command lies in the text");
  }
  const Advice advice = advise(text, Shell::kPowerShell);
  promise((advice.verdict == AdviceVerdict::kSafe) == advice.findings.empty(), "a stopped command has a reason");
  for (const Finding& one : advice.findings)
    promise(one.begin <= one.end && one.end <= size, "a finding lies in the text");
  looks_like_windows(text);
  return 0;
}
