// judge.h: compares the commands of a script with the rules.
// Invariant: produces findings only; runs nothing and reads nothing outside of the text. Follows a bounded number of
// nested texts to a bounded depth. Not here: parsing text (shell_reader.h), the rules themselves (rules.h).
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

// The context in which a command runs.
struct CallContext {
  std::uint8_t depth = 0;
  bool inside = false;          // another program starts it, so a shell without a script has no terminal
  bool remote = false;          // on another host
  bool as_root = false;         // sudo and the like
  bool fed = false;             // xargs adds more words
  const Word* place = nullptr;  // the word of the outer text that contains it
};

class Judge {
 public:
  explicit Judge(Advice& out) : out_(out) {}
  void posix(std::string_view text, CallContext context);
  void windows(std::string_view text, CallContext context);

 private:
  using Words = std::span<const Word>;
  // Properties of the output of some commands.
  struct Flow {
    bool network = false;
    bool decoded = false;
    bool secret = false;
    bool private_name = false;  // from a file that sounds like a secret
    bool encoded = false;
    bool any = false;
    std::string literal;  // their output, if it is a literal
  };
  // One script while it is judged.
  struct State {
    const Script& script;
    std::string_view text;
    std::string directory{};
    std::vector<std::string> downloaded{};
    std::vector<std::pair<std::string, std::string>> written{};  // files that this text wrote: path and content
    std::size_t writes = 0;                                      // how often a file was written
    bool typed = false;  // a program that waits for lines was started: the next ones are typed into it
  };

  // judge.cc: scripts and simple commands.
  void script(State& state, CallContext context);
  void command(State& state, const Simple& command, CallContext context);
  void assignments(const Simple& command, CallContext context);
  void set_variable(std::string_view name, const Word& value, const Simple& command, CallContext context);
  void redirects(State& state, const Simple& command, CallContext context);
  void plants_shell(const Simple& command, CallContext context);
  void startup_text(State& state, const Simple& command, const Word& target, CallContext context);
  std::string printed(State& state, const Simple& command);
  void called(State& state, const Function& function, Words words, CallContext context);
  void fork_bomb(const Script& script, CallContext context);
  void typed_lines(State& state, const Simple& command, const Program* program, CallContext context);
  void nested(std::string_view text, const Word& word, CallContext context);
  void report(std::string_view rule, std::uint32_t begin, std::uint32_t end, CallContext context);
  void report(const Rule& rule, std::uint32_t begin, std::uint32_t end, CallContext context);
  void report(std::string_view rule, const Simple& command, CallContext context);

  // judge_calls.cc: the programs that one command runs.
  void run(State& state, const Simple& command, Words words, CallContext context);
  void wrapper(State& state, const Simple& command, Words words, const Program& program, CallContext context);
  void given_words(State& state, const Simple& command, Words listed_words, Words inner, CallContext context);
  void shell(State& state, const Simple& command, Words words, const Arguments& arguments, CallContext context);
  void interpreter(State& state, const Simple& command, const Program& program, const Arguments& arguments,
                   CallContext context);
  void find(State& state, const Simple& command, Words words, CallContext context);
  void special(State& state, const Simple& command, Words words, const Program* program, const Arguments& arguments,
               CallContext context);
  // judge_helpers.cc: programs that another program starts because of a setting or an option.
  void helpers(State& state, const Simple& command, Words words, const Arguments& arguments, CallContext context);
  void sed_inserts(const Simple& command, Words words, const Arguments& arguments, CallContext context);
  void editor_of(const Simple& command, std::string_view program, CallContext context);
  void by_pattern(State& state, const Simple& command, Words words, CallContext context);
  void hands_over(const Program* program, Words words, CallContext context);
  void command_options(State& state, const Program& program, const Arguments& arguments, std::string_view name,
                       CallContext context);
  void code(std::string_view text, Language language, const Word& word, CallContext context);

  // judge_flow.cc: data flow between commands.
  Flow flow(const State& state, Range range, int depth);
  Flow input(const State& state, const Simple& command);
  void runs_flow(const Flow& flow, const Simple& command, CallContext context);
  void sends(State& state, const Simple& command, Words words, const Arguments& arguments, CallContext context);
  void remember_downloads(State& state, const Simple& command, Words words, const Arguments& arguments);
  bool was_downloaded(const State& state, const Word& word) const;
  void remember_text(State& state, const Simple& command, std::string_view path);
  // Judges the content of a file that the text wrote and now runs.
  void runs_written(const State& state, const Word& word, Language language, CallContext context);

  Advice& out_;
  std::size_t nested_ = 0;
  std::size_t steps_ = 0;  // commands visited for their output
};

// Their texts with a blank between them.
std::string joined(std::span<const Word> words);

// A program by its full path, outside of where programs live: "/path/to/command", "/tmp/x".
bool is_stranger(std::string_view command);

// A program that is common as git's setting `key`: ssh, a pager, an editor.
bool is_usual_helper(std::string_view key, std::string_view command);

// Only --help or --version of something: nothing is done.
bool only_explains(const Program* program, std::span<const Word> words);

// xargs sh -c, xargs -I{} sh -c '{}': the piped input is the code.
bool takes_code_from_input(std::span<const Word> own, std::span<const Word> inner);

// A line that runs no program of its own in a start-up file.
bool only_settings(std::string_view text);

// Does a text name a shell's path as a word of its own, not as "#!/bin/sh"? And with nothing for it to run?
bool names_shell_path(std::string_view text);
bool names_bare_shell(std::string_view text);

// The words of a command without sudo, env and the like before them.
std::span<const Word> unwrapped(std::span<const Word> words);

}  // namespace pinfold::advice
