// windows_command_line.cc: hostile arguments on their way to a program of Windows: each line of the input is one.
// Invariant: both kinds of readers read quoted text back unchanged; refused text has an error text.
// Not here: the real readers (tests/platforms/wine/wine_test.cc tests those of wine).
#include "backend/windows/command_line.h"

#include <cstddef>
#include <cstdint>

#include "backend/windows/argv_readers.h"
#include "backend/windows/environment_block.h"
#include "base/utf16.h"
#include "world.h"

namespace {

using pinfold::backend::on_windows::ArgvRules;
using pinfold::fuzz::promise;

void check_line(const std::vector<std::string>& argv) {
  const auto line = pinfold::backend::on_windows::command_line(argv);
  if (!line) return pinfold::fuzz::check_words(line.error());
  for (const ArgvRules rules : {ArgvRules::kOld, ArgvRules::kNew}) {
    const auto words = pinfold::backend::on_windows::read_argv(*line, rules);
    promise(words.size() == argv.size(), "as many arguments as there were");
    for (std::size_t i = 0; i < argv.size(); ++i) promise(pinfold::to_utf8(words[i]) == argv[i], "the same argument");
  }
}

// Reads an environment block as Windows does: to the first empty text.
void check_block(const std::vector<std::string>& values) {
  std::vector<pinfold::Variable> variables;
  for (std::size_t i = 0; i < values.size(); ++i)
    variables.push_back({"V" + std::to_string(i + 100), values[i], pinfold::Origin{}});
  const auto block = pinfold::backend::on_windows::environment_block(variables);
  if (!block) return pinfold::fuzz::check_words(block.error());
  std::size_t at = 0;
  for (const auto& one : variables) {
    const std::size_t end = block->find(u'\0', at);
    promise(end != std::u16string::npos, "every variable has an end");
    promise(pinfold::to_utf8(block->substr(at, end - at)) == one.name + "=" + one.value, "the same variable");
    at = end + 1;
  }
  promise(block->size() >= 2 && block->substr(block->size() - 2) == std::u16string(2, u'\0'), "it has an end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // 0x1F separates arguments: an argument may contain newlines.
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\x1f', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  check_block(words);
  words.insert(words.begin(), "C:\\a b\\p.exe");
  check_line(words);
  words.erase(words.begin());
  check_line(words);
  return 0;
}
