// programs.cc: the table of programs.
// Invariant: a name is in one row only (tested). An option is listed if it changes the program that runs or takes the
// next word. Not here: judging.
#include "safety/advice/programs.h"

#include <unordered_map>

#include "safety/advice/ascii.h"
#include "safety/advice/path_kind.h"
#include "safety/advice/programs_table.h"

namespace pinfold::advice {

namespace {

using Table = std::unordered_map<std::string_view, const Program*>;

const Table& table() {
  static const Table all = [] {
    Table made;
    for (const Program& one : kPrograms)
      for (std::size_t at = 0; at < one.names.size();) {
        const std::size_t end = std::min(one.names.find(' ', at), one.names.size());
        made.emplace(one.names.substr(at, end - at), &one);
        at = end + 1;
      }
    return made;
  }();
  return all;
}

}  // namespace

const Program* find_program(std::string_view word) {
  std::string_view name = base_name(word);
  if (name.ends_with(".exe")) name.remove_suffix(4);
  if (name.starts_with("ld-linux") || name.starts_with("ld-musl") || name == "ld.so") name = "ld.so";
  for (int tries = 0; tries < 2; ++tries) {
    if (const auto found = table().find(name); found != table().end()) return found->second;
    while (!name.empty() && (is_digit(name.back()) || name.back() == '.' || name.back() == '-')) name.remove_suffix(1);
  }
  return nullptr;
}

bool is_shell(std::string_view word) {
  const Program* program = find_program(word);
  return program != nullptr && program->kind == ProgramKind::kShell;
}

}  // namespace pinfold::advice
