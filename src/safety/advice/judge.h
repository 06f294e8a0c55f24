// judge.h: holds what a script does against the rules.
// Invariant: findings only; nothing is run, nothing outside the text is asked. Nested texts are followed to a bounded
// depth and a bounded number of them. Not here: reading text (shell_reader.h), the rules themselves (rules.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "safety/advice/advice.h"
#include "safety/advice/arguments.h"
#include "safety/advice/code_scan.h"
#include "safety/advice/path_kind.h"
#include "safety/advice/rules.h"
#include "safety/advice/script.h"

namespace pinfold::advice {

// How a command came to run.
struct Where {
  std::uint8_t depth = 0;
  bool inside = false;          // another program starts it, so a shell without a script is one that nobody sees
  bool remote = false;          // on another host
  bool as_root = false;         // sudo and the like
  bool fed = false;             // xargs gives it more words
  const Word* place = nullptr;  // the word of the outer text that it stands in
};

class Judge {
 public:
  explicit Judge(Advice& out) : out_(out) {}
  void posix(std::string_view text, Where where);
  void windows(std::string_view text, Where where);

 private:
  using Words = std::span<const Word>;
  // What flows out of some commands.
  struct Flow {
    bool network = false;
    bool decoded = false;
    bool secret = false;
    bool private_name = false;  // from a file that sounds like a secret
    bool encoded = false;
    bool any = false;
    std::string literal;  // what they print, where that is plain
  };
  // One script while it is judged.
  struct State {
    const Script& script;
    std::string_view text;
    std::string directory{};
    std::vector<std::string> downloaded{};
    std::vector<std::pair<std::string, std::string>> written{};  // files this text itself wrote, and what
    std::size_t writes = 0;                                      // how often a file was written
    bool typed = false;  // a program that waits for lines was started: the next ones are typed into it
  };

  // judge.cc: scripts and simple commands.
  void script(State& state, Where where);
  void command(State& state, const Simple& command, Where where);
  void assignments(const Simple& command, Where where);
  void set_variable(std::string_view name, const Word& value, const Simple& command, Where where);
  void redirects(State& state, const Simple& command, Where where);
  void plants_shell(const Simple& command, Where where);
  void startup_text(State& state, const Simple& command, const Word& target, Where where);
  std::string printed(State& state, const Simple& command);
  void called(State& state, const Function& function, Words words, Where where);
  void fork_bomb(const Script& script, Where where);
  void typed_lines(State& state, const Simple& command, const Program* program, Where where);
  void nested(std::string_view text, const Word& word, Where where);
  void report(std::string_view rule, std::uint32_t begin, std::uint32_t end, Where where);
  void report(const Rule& rule, std::uint32_t begin, std::uint32_t end, Where where);
  void report(std::string_view rule, const Simple& command, Where where);

  // judge_calls.cc: what one command runs.
  void run(State& state, const Simple& command, Words words, Where where);
  void wrapper(State& state, const Simple& command, Words words, const Program& program, Where where);
  void given_words(State& state, const Simple& command, Words listed_words, Words inner, Where where);
  void shell(State& state, const Simple& command, Words words, const Arguments& arguments, Where where);
  void interpreter(State& state, const Simple& command, const Program& program, const Arguments& arguments,
                   Where where);
  void find(State& state, const Simple& command, Words words, Where where);
  void special(State& state, const Simple& command, Words words, const Program* program, const Arguments& arguments,
               Where where);
  // judge_helpers.cc: programs that another one is told to start, by a setting or an option.
  void helpers(State& state, const Simple& command, Words words, const Arguments& arguments, Where where);
  void sed_inserts(const Simple& command, Words words, const Arguments& arguments, Where where);
  void editor_of(const Simple& command, std::string_view program, Where where);
  void by_pattern(State& state, const Simple& command, Words words, Where where);
  void hands_over(const Program* program, Words words, Where where);
  void command_options(State& state, const Program& program, const Arguments& arguments, std::string_view name,
                       Where where);
  void code(std::string_view text, Language language, const Word& word, Where where);

  // judge_flow.cc: what goes from one command to another.
  Flow flow(const State& state, Range range, int depth);
  Flow input(const State& state, const Simple& command);
  void runs_flow(const Flow& flow, const Simple& command, Where where);
  void sends(State& state, const Simple& command, Words words, const Arguments& arguments, Where where);
  void remember_downloads(State& state, const Simple& command, Words words, const Arguments& arguments);
  bool was_downloaded(const State& state, const Word& word) const;
  void remember_text(State& state, const Simple& command, std::string_view path);
  // Judges what the text itself wrote into the file that now runs.
  void runs_written(const State& state, const Word& word, Language language, Where where);

  Advice& out_;
  std::size_t nested_ = 0;
  std::size_t steps_ = 0;  // commands looked at for what flows out of them
};

// Their texts with a blank between them.
std::string joined(std::span<const Word> words);

// A program by its full path, outside of where programs live: "/path/to/command", "/tmp/x".
bool is_stranger(std::string_view command);

// A program that git may well be told to use, for the setting `key`: ssh, a pager, an editor.
bool is_usual_helper(std::string_view key, std::string_view command);

// Only --help or --version of something: nothing is done.
bool only_explains(const Program* program, std::span<const Word> words);

// xargs sh -c, xargs -I{} sh -c '{}': what is piped in is the code.
bool takes_code_from_input(std::span<const Word> own, std::span<const Word> inner);

// What may stand in a start-up file without running anything of its own.
bool only_settings(std::string_view text);

// Does a text name a shell's path as a word of its own, not as "#!/bin/sh"? And with nothing for it to run?
bool names_shell_path(std::string_view text);
bool names_bare_shell(std::string_view text);

// The words of a command without sudo, env and the like before them.
std::span<const Word> unwrapped(std::span<const Word> words);

}  // namespace pinfold::advice
