// arguments.h: parses a command's words into options, their values and other words, as the program does.
// Invariant: refers to the caller's words, which must outlive it. Not here: the meaning of the options.
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "safety/advice/programs.h"
#include "safety/advice/script.h"

namespace pinfold::advice {

enum class Dialect : std::uint8_t { kPosix, kWindows };

struct Option {
  std::string_view name;        // "-r" of "-rf", "--force", "-delete"; in Windows lower-case, "/s" as well
  const Word* value = nullptr;  // null: none
};

struct Arguments {
  std::vector<Option> options;
  std::vector<const Word*> words;
  std::deque<Word> made;  // values cut out of a word: "x" of "--file=x"

  bool has(std::string_view name) const;
  const Word* value(std::string_view name) const;  // the last one, or null
};

// `words` without the program's own name.
Arguments read_arguments(std::span<const Word> words, const Program* program, Dialect dialect);

// How many of them belong to a wrapper itself: its options, their values, assignments, and `before` words.
std::size_t length_of_wrapper(std::span<const Word> words, const Program& program);

}  // namespace pinfold::advice
