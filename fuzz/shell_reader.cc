// shell_reader.cc: hostile shell text, read and advised about.
// Invariant: every range and span is inside the text; advice is the same each time, and gives a reason unless it is
// "safe". Not here: the effect of the text (safety/advice_test.cc).
#include "safety/advice/shell_reader.h"

#include <cstddef>
#include <cstdint>

#include "safety/advice/advice.h"
#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pinfold::advice;
  using pinfold::fuzz::promise;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Script script = read_shell(text);
  const std::size_t count = script.commands.size();
  promise(count <= kMostCommands + kMostNested, "the number of commands is bounded");
  for (const Simple& command : script.commands) {
    promise(command.fed_by.last <= count, "a pipe comes from a command");
    promise(command.begin <= command.end && command.end <= size, "a command lies in the text");
    for (const Word& word : command.words) {
      promise(word.made_by.last <= count, "a word is made by commands");
      promise(word.begin <= word.end && word.end <= size, "a word lies in the text");
    }
  }
  for (const Function& function : script.functions) promise(function.body.last <= count, "a function has its commands");
  const Advice advice = advise(text, Shell::kAuto);
  promise((advice.verdict == AdviceVerdict::kSafe) == advice.findings.empty(), "a stopped command has a reason");
  for (const Finding& one : advice.findings) {
    promise(one.begin <= one.end && one.end <= size, "a finding lies in the text");
    promise(!one.reason.empty() && one.verdict <= advice.verdict,
            "a finding has words, and is no worse than the whole");
  }
  promise(advise(text, Shell::kAuto).findings.size() == advice.findings.size(), "the same text, the same advice");
  return 0;
}
