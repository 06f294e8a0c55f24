// judge_many.cc: find, xargs and parallel: one command for many files.
// Invariant: as judge.h; files selected by name, age or size are not a whole tree. Not here: other wrappers
// (judge_calls.cc).
#include <algorithm>

#include "safety/advice/ascii.h"
#include "safety/advice/judge.h"

namespace pinfold::advice {

// The words that xargs and parallel add, if they are in the text: echo / | xargs rm -rf.
void Judge::given_words(State& state, const Simple& command, Words listed_words, Words inner, CallContext context) {
  std::string more = joined(listed_words);
  if (const auto at = more.find("::: "); at != std::string::npos) more.erase(0, at + 4);
  const Flow in = input(state, command);
  if (more.empty()) more = in.literal;
  if (!more.empty() && more.size() < 1024) nested(joined(inner) + " " + more, inner[0], context);
  if (!listed("rm shred unlink srm", base_name(unwrapped(inner)[0].text))) return;
  for (std::size_t i = command.fed_by.first; i < std::min(command.fed_by.last, state.script.commands.size()); ++i) {
    const Words source = unwrapped(state.script.commands[i].words);
    if (source.empty()) continue;
    if (base_name(source[0].text) == "ls")
      for (const Word& word : source.subspan(1))
        if (path_kinds_of(word, state.directory) & (kRoot | kHome | kSystem)) report("find-delete", command, context);
    if (base_name(source[0].text) != "find") continue;
    std::vector<Word> deleting(source.begin(), source.end());
    deleting.emplace_back().text = "-delete";
    find(state, command, deleting, context);
  }
}

void Judge::find(State& state, const Simple& command, Words words, CallContext context) {
  bool selective = false;
  bool deletes = false;
  PathKinds start = 0;
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (text == "-H" || text == "-L" || text == "-P") continue;
    if (text.starts_with("-") || text == "(" || text == "!") break;
    start |= path_kinds_of(words[at], state.directory);
  }
  for (; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (text == "-delete") deletes = true;
    if (listed("-name -iname -path -ipath -regex -iregex -wholename -mtime -mmin -atime -ctime -size -newer -user "
               "-group -perm "
               "-empty -inum -samefile -nouser -nogroup -uid -gid -links -amin -cmin -lname -newermt",
               text))
      selective = selective || (at + 1 < words.size() && words[at + 1].text != "*");
    if (!listed("-exec -execdir -ok -okdir -x -X --exec --exec-batch", text)) continue;
    const std::size_t first = at + 1;
    while (at + 1 < words.size() && words[at + 1].text != ";" && words[at + 1].text != "+") ++at;
    const Words inner = words.subspan(first, at + 1 - first);
    if (inner.empty()) continue;
    const std::string_view program = base_name(unwrapped(inner)[0].text);
    if (listed("rm shred unlink srm wipe mv dd truncate", program)) deletes = true;
    if (listed("gpg openssl ccrypt 7z zip", program) && (start & (kRoot | kHome | kSystem)))
      report("encrypts-files", command, context);
    CallContext in = context;
    in.inside = true;
    ++in.depth;
    run(state, command, inner, in);
  }
  if (deletes && !selective && (start & (kRoot | kHome | kSystem | kUnset)) && !(start & kTemp))
    report("find-delete", command, context);
}

}  // namespace pinfold::advice
