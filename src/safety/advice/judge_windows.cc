// judge_windows.cc: compares PowerShell and cmd lines with their rules; decodes and judges encoded commands.
// Invariant: as judge.h. Not here: parsing (powershell_reader.cc), POSIX shell.
#include <algorithm>

#include "base/encode.h"
#include "safety/advice/ascii.h"
#include "safety/advice/judge.h"
#include "safety/advice/powershell_reader.h"

namespace pinfold::advice {

namespace {

constexpr std::uint8_t kMostWindowsDepth = 6;

// UTF-16 as PowerShell encodes it; ASCII characters only.
std::string narrowed(std::string_view wide) {
  std::string out;
  for (const char c : wide)
    if (c != '\0') out += c;
  return out;
}

// "notes.txt:x.exe": a stream of a file, by a name with an ending on both sides of the colon.
bool names_stream(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon < 3 || colon + 2 >= text.size() || text.size() > 512) return false;
  const std::string_view before = text.substr(0, colon);
  const std::string_view after = text.substr(colon + 1);
  const auto dot = before.rfind('.');
  const auto ending = after.rfind('.');
  if (dot == std::string_view::npos || before.size() - dot > 5 || before.find("//") != std::string_view::npos)
    return false;
  return is_letter(after[0]) && ending != std::string_view::npos &&
         after.find_first_of("/\\") == std::string_view::npos &&
         listed("exe dll bat cmd ps1 vbs js sct hta cab reg ini scr msi", lower(after.substr(ending + 1)));
}

}  // namespace

void Judge::windows(std::string_view text, CallContext context) {
  if (++context.depth > kMostWindowsDepth || ++nested_ > 64) {
    out_.complete = false;
    return;
  }
  const Script script = read_powershell(text);
  if (!script.complete) out_.complete = false;
  for (const Simple& command : script.commands) {
    std::string name = lower(base_name(command.words[0].text));
    if (name.ends_with(".exe")) name.resize(name.size() - 4);
    if (command.words[0].text == kWholeText) name = kWholeText;
    const Words words(command.words);
    const Arguments arguments = read_arguments(words.subspan(1), nullptr, Dialect::kWindows);
    const Call call{name, arguments, words, {}, Dialect::kWindows};
    for (const Rule* rule : matching(call)) report(*rule, words[0].begin, words.back().end, context);

    for (const Word& word : words)
      if (names_stream(word.text)) report("windows-stream", word.begin, word.end, context);

    // Get-ChildItem C:\ | Remove-Item
    if (!command.fed_by.empty() && listed("remove-item ri rm del rd", name))
      for (const Word& word : script.commands[command.fed_by.first].words)
        if (path_kinds_of(word, {}) & (kRoot | kHome | kSystem)) report("windows-delete", command, context);

    const bool powershell = name == "powershell" || name == "pwsh";
    CallContext inner = context;
    if (inner.place == nullptr) inner.place = &words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string option = lower(words[i].text);
      if (name == "cmd" && (option == "/c" || option == "/k" || option == "/r") && i + 1 < words.size()) {
        windows(joined(words.subspan(i + 1)), inner);
        break;
      }
      if (!powershell || option.size() < 2 || (option[0] != '-' && option[0] != '/')) continue;
      const std::string_view flag = std::string_view(option).substr(1);
      if (std::string_view("encodedcommand").starts_with(flag) && i + 1 < words.size()) {
        if (const auto decoded = from_base64(words[i + 1].text)) windows(narrowed(*decoded), inner);
      } else if (std::string_view("command").starts_with(flag) && i + 1 < words.size()) {
        std::string rest;
        for (std::size_t j = i + 1; j < words.size(); ++j) rest += words[j].text + " ";
        windows(rest, inner);
        break;
      }
    }
  }
}

}  // namespace pinfold::advice
