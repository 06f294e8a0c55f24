// shell_reader_impl.h: the shell reader's own state, shared by its two halves: commands (shell_reader.cc) and words
// (shell_words.cc). Not here: the interface for other folders (shell_reader.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_map.h"
#include "safety/advice/shell_reader.h"

namespace pinfold::advice::detail {

// The variables that the text assigns. `expanded` counts the inserted bytes, which are bounded by the text's size.
struct Variables {
  TextMap<std::string> values;
  std::size_t expanded = 0;
};

inline constexpr std::size_t kNotYet = static_cast<std::size_t>(-1);

class ShellReader {
 public:
  ShellReader(std::string_view text, Script& out, Variables& variables, std::size_t depth)
      : in_(text), out_(out), variables_(variables), depth_(depth) {}

  // Commands up to the end, or to the ")" that closes a substitution.
  enum class Until { kEnd, kParenthesis };
  void commands(Until until);
  // A here-document: expansions count, quotes and operators do not.
  void body(Word& word);

  // Positions inside a nested text are those of the word that contains it.
  void stand_at(std::uint32_t begin, std::uint32_t end) { place_ = {begin, end}; }

 private:
  struct Group {
    char kind;  // '(' '{' 'i' 'l' (loop) 'c'
    std::size_t first;
    Range fed_by;
    bool wants_pattern = false;
    std::optional<std::size_t> function{};  // whose body this is
  };
  struct HereDocument {
    std::string end;
    bool strip_tabs;
    bool literal;
    std::size_t command;
    std::size_t redirect;
  };
  struct Pair {
    std::uint32_t begin, end;
  };

  // Commands.
  void simple();
  void next_element();
  bool in_loop() const;
  bool separator();
  bool reserved(std::string_view word);
  void open(char kind);
  void close(char kind);
  void loop_header();
  void case_header();
  void pattern();
  void double_bracket(Simple& command);
  void function_named(std::string name);
  bool redirection(Simple& command);
  bool assignment(Simple& command);
  void here_documents();
  void finish(Simple&& command);
  void remember(const Simple& command);
  std::optional<std::string> plain_word_here() const;

  // Words.
  bool at_word_end() const;
  void add_words(std::vector<Word>& words);
  Word word();
  void double_quoted(Word& word);
  void ansi_quoted(Word& word);
  void dollar(Word& word, bool in_quotes);
  void braced(Word& word, bool in_quotes);
  void arithmetic();
  void substitution(Word& word);
  void backticks(Word& word);
  void value_of(std::string_view name, Word& word, bool in_quotes);
  void fold(Word& word, std::size_t first);

  // Characters.
  bool done() const { return at_ >= in_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }
  bool starts(std::string_view what) const { return !done() && in_.substr(at_).starts_with(what); }
  void skip_blanks();
  void skip_line() {
    while (!done() && peek() != '\n') ++at_;
  }
  std::uint32_t here(std::size_t at) const { return place_ ? place_->begin : static_cast<std::uint32_t>(at); }
  std::uint32_t end_here(std::size_t at) const { return place_ ? place_->end : static_cast<std::uint32_t>(at); }

  std::string_view in_;
  std::size_t at_ = 0;
  Script& out_;
  Variables& variables_;
  std::size_t depth_;
  std::vector<Group> groups_;
  std::vector<HereDocument> waiting_;
  std::optional<Pair> place_;
  Range feed_;                             // the text that is the element's input
  std::size_t element_ = 0;                // its first command
  std::size_t double_close_ = 0;           // where the next "))" is, if not before this place
  bool split_ = false;                     // the word being read has a variable whose value the shell splits
  std::optional<std::size_t> function_{};  // the one whose body opens next
};

}  // namespace pinfold::advice::detail
