// argv_readers.h: two readers of command lines, written from their documented rules, for tests.
// Invariant: share nothing with command_line.cc.
// Not here: the real ones (tests/platforms/windows tests those of wine).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pinfold::backend::on_windows {

// kOld: CommandLineToArgvW, and the C runtime before 2008; kNew: the C runtime since 2008, where "" inside quotes is
// one quote and does not end the quoted part.
enum class ArgvRules { kOld, kNew };

inline std::vector<std::u16string> read_argv(const std::u16string& line, ArgvRules rules) {
  std::vector<std::u16string> out;
  std::size_t at = 0;
  const auto is_blank = [](char16_t c) { return c == u' ' || c == u'\t'; };
  // The program's name: to the next quote if it begins with one, else to the next blank.
  std::u16string first;
  if (at < line.size() && line[at] == u'"') {
    for (++at; at < line.size() && line[at] != u'"'; ++at) first += line[at];
    ++at;
  } else {
    for (; at < line.size() && !is_blank(line[at]); ++at) first += line[at];
  }
  out.push_back(first);
  while (true) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at >= line.size()) return out;
    std::u16string word;
    bool quoted = false;
    while (at < line.size() && (quoted || !is_blank(line[at]))) {
      std::size_t slashes = 0;
      for (; at < line.size() && line[at] == u'\\'; ++at) ++slashes;
      if (at >= line.size() || line[at] != u'"') {
        word.append(slashes, u'\\');
        if (at < line.size() && (quoted || !is_blank(line[at]))) word += line[at++];
        continue;
      }
      word.append(slashes / 2, u'\\');
      if (slashes % 2 == 1) {
        word += line[at++];
        continue;
      }
      ++at;
      const bool doubled = quoted && at < line.size() && line[at] == u'"';
      if (doubled) {
        word += line[at++];
        if (rules == ArgvRules::kNew) continue;
      }
      quoted = !quoted;
    }
    out.push_back(word);
  }
}

}  // namespace pinfold::backend::on_windows
