// judge.cc: scripts, simple commands, what they assign and where they write.
// Invariant: see judge.h. Not here: what a program does with its arguments (judge_calls.cc), data flow (judge_flow.cc).
#include "safety/advice/judge.h"

#include <algorithm>

#include "safety/advice/ascii.h"
#include "safety/advice/shell_reader.h"

namespace pinfold::advice {

namespace {

constexpr std::size_t kMostFindings = 16;
constexpr std::size_t kMostTexts = 64;  // nested texts of one advice
constexpr std::uint8_t kMostDepth = 8;

// LD_PRELOAD=libx.so, /usr/lib/…/libjemalloc.so.2: libraries that the system's owner put there.
bool from_system(std::string_view list) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find_first_of(": ", at), list.size());
    const std::string one = tidy_path(list.substr(at, end - at));
    at = end + 1;
    const bool known = one.starts_with("/usr/lib") || one.starts_with("/lib") || one.starts_with("/usr/local/lib") ||
                       one.starts_with("/opt/");
    const bool library = one.find(".so") != std::string::npos || one.find(".dylib") != std::string::npos;
    if (!known && !(library && one.find('/') == std::string::npos)) return false;
  }
  return true;
}

// exec("/bin/sh"), not ["/bin/bash"] of a settings file.
bool calls_bare_shell(std::string_view text) {
  if (text.size() > 16384 || !names_bare_shell(text)) return false;
  for (const std::string_view call : {"(\"/bin/", "('/bin/", "(\"/usr/bin/", "('/usr/bin/"})
    if (text.find(call) != std::string_view::npos) return true;
  return false;
}

bool is_statement(std::string_view verb, std::string_view object) {
  return listed("drop truncate delete alter", lower(verb)) &&
         listed("table database schema user role view index from column keyspace", lower(object));
}

}  // namespace

std::string joined(std::span<const Word> words) {
  std::string out;
  for (const Word& word : words) out += (out.empty() ? "" : " ") + word.text;
  return out;
}

void Judge::report(const Rule& rule, std::uint32_t begin, std::uint32_t end, Where where) {
  if (where.place != nullptr) {
    begin = where.place->begin;
    end = where.place->end;
  }
  const bool known = std::any_of(out_.findings.begin(), out_.findings.end(), [&](const Finding& one) {
    return one.rule == rule.id && one.begin == begin && one.end == end;
  });
  out_.verdict = std::max(out_.verdict, rule.verdict);
  if (known || out_.findings.size() >= kMostFindings) return;
  out_.findings.push_back({rule.id, rule.category, rule.verdict, begin, end, rule.reason, rule.safer});
}

void Judge::report(std::string_view rule, std::uint32_t begin, std::uint32_t end, Where where) {
  report(rule_named(rule), begin, end, where);
}

void Judge::report(std::string_view rule, const Simple& command, Where where) {
  report(rule, command.begin, command.end, where);
}

void Judge::nested(std::string_view text, const Word& word, Where where) {
  if (where.place == nullptr) where.place = &word;
  if (++where.depth > kMostDepth || ++nested_ > kMostTexts) {
    out_.complete = false;
    return;
  }
  posix(text, where);
}

void Judge::posix(std::string_view text, Where where) {
  const Script read = read_shell(text);
  if (!read.complete) out_.complete = false;
  State state{read, text};
  script(state, where);
}

void Judge::script(State& state, Where where) {
  fork_bomb(state.script, where);
  for (const Simple& one : state.script.commands) command(state, one, where);
}

void Judge::command(State& state, const Simple& command, Where where) {
  where.inside = where.inside || state.typed;
  assignments(command, where);
  redirects(state, command, where);
  if (command.words.empty()) return;
  const Words words(command.words);
  typed_lines(state, command, find_program(unwrapped(words)[0].text), where);
  if (words[0].glob) by_pattern(state, command, words, where);
  run(state, command, words, where);
  // A statement of SQL by itself: whatever it is given to, it removes data.
  if (words.size() > 2 && is_statement(words[0].text, words[1].text) &&
      destroys_data(state.text.substr(std::min<std::size_t>(command.begin, state.text.size()), 1024)))
    report("sql-destroy", command, where);
  constexpr std::size_t kMostFunctions = 64;
  for (const Function& function :
       std::span(state.script.functions).first(std::min(state.script.functions.size(), kMostFunctions)))
    if (function.name == words[0].text) called(state, function, words, where);
  // $(curl …), `echo … | base64 -d`: what runs is what the inner commands print.
  if (words[0].text == "$()") runs_flow(flow(state, words[0].made_by, 1), command, where);
  if (words[0].text == "cd" || words[0].text == "pushd") {
    const std::string& to = words.size() > 1 ? words[1].text : "~";
    const bool absolute = to.starts_with('/') || to.starts_with('~') || to.starts_with('$');
    state.directory = absolute ? tidy_path(to) : state.directory.empty() ? "" : tidy_path(state.directory + "/" + to);
  }
}

// What is typed into an editor, a pager or an interpreter that the line before started.
void Judge::typed_lines(State& state, const Simple& command, const Program* program, Where where) {
  const std::string& name = command.words[0].text;
  if (name.size() > 1 && where.place == nullptr &&
      (name[0] == '!' || name.starts_with(":!") || name.starts_with("^]"))) {
    std::string typed = joined(command.words);
    typed.erase(0, typed.find_first_not_of(":!^]"));
    where.inside = true;
    nested(typed, command.words[0], where);
    return;
  }
  if (program == nullptr || where.depth > 0 || !command.fed_by.empty() || command.end >= state.text.size()) return;
  const bool waits =
      program->kind == Kind::kTalks || (program->kind == Kind::kInterpreter && unwrapped(command.words).size() == 1);
  if (!waits || state.text[command.end] != '\n' || !command.redirects.empty()) return;
  state.typed = true;
  const Language language = program->language == Language::kNone ? Language::kOther : program->language;
  Word rest;
  rest.text = state.text.substr(command.end + 1, 4096);
  rest.begin = command.end + 1;
  rest.end = static_cast<std::uint32_t>(state.text.size());
  code(rest.text, language, rest, where);
  if (program->kind == Kind::kTalks && language != Language::kOther) code(rest.text, Language::kOther, rest, where);
}

void Judge::assignments(const Simple& command, Where where) {
  for (const Assignment& one : command.assignments) set_variable(one.name, one.value, command, where);
  if (command.words.size() < 2 || !listed("export declare typeset readonly local env setenv", command.words[0].text))
    return;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const auto equals = command.words[i].text.find('=');
    if (equals == std::string::npos) continue;
    Word value = command.words[i];
    const std::string name = value.text.substr(0, equals);
    value.text.erase(0, equals + 1);
    set_variable(name, value, command, where);
  }
}

void Judge::set_variable(std::string_view name, const Word& value, const Simple& command, Where where) {
  const std::string& text = value.text;
  if (listed("LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV PERL5OPT PYTHONSTARTUP RUBYOPT", name) &&
      !text.empty() && !(name.find("_") != name.npos && from_system(text)))
    report("preloads", command, where);
  if (name == "PROMPT_COMMAND" && text.find("/dev/tcp") != std::string::npos) report("preloads", command, where);
  if (name == "PROMPT_COMMAND" && (has_any_case(text, "curl") || has_any_case(text, "nc ")))
    report("preloads", command, where);
  if ((name == "HISTFILE" && (text.empty() || text == "/dev/null")) ||
      ((name == "HISTSIZE" || name == "HISTFILESIZE") && text == "0") || (name == "HISTIGNORE" && text == "*"))
    report("hides-history", command, where);
  if (listed("PAGER MANPAGER GIT_PAGER EDITOR VISUAL SUDO_EDITOR GIT_EDITOR BROWSER LESSOPEN LESSCLOSE GIT_SSH_COMMAND "
             "GIT_SSH GIT_EXTERNAL_DIFF SYSTEMD_PAGER TAR_OPTIONS BASH_FUNC MANOPT APT_CONFIG",
             name) &&
      !text.empty()) {
    where.inside = true;
    nested(text, value, where);
  }
}

// echo 'os.execute("/bin/sh")' > file: what runs the file later opens a shell.
void Judge::plants_shell(const Simple& command, Where where) {
  const Words words = unwrapped(command.words);
  for (const Redirect& one : command.redirects)
    if (one.kind == Redirect::Kind::kText && calls_bare_shell(one.target.text))
      return report("opens-shell", command, where);
  if (words.empty() || (words[0].text != "echo" && words[0].text != "printf")) return;
  for (const Word& word : words.subspan(1))
    if (word.text.size() < 4096 && names_bare_shell(word.text))
      return report("opens-shell", word.begin, word.end, where);
}

void Judge::redirects(State& state, const Simple& command, Where where) {
  const auto writes = [](const Redirect& r) {
    return r.kind == Redirect::Kind::kWrite || r.kind == Redirect::Kind::kAppend;
  };
  if (std::any_of(command.redirects.begin(), command.redirects.end(), writes)) plants_shell(command, where);
  using Way = Redirect::Kind;
  for (const Redirect& one : command.redirects) {
    if (one.kind == Way::kText || one.kind == Way::kDuplicate) continue;
    if (one.kind == Way::kWrite || one.kind == Way::kAppend) remember_text(state, command, one.target.text);
    // "nmap> !sh": a prompt and what was typed there.
    if (one.kind == Way::kWrite && one.target.text.size() > 1 && one.target.text[0] == '!') {
      Where typed = where;
      typed.inside = true;
      nested(std::string_view(one.target.text).substr(1), one.target, typed);
    }
    const Places places = places_of(one.target, state.directory);
    if (places == 0) continue;
    const Word& at = one.target;
    const auto say = [&](std::string_view rule) { report(rule, at.begin, at.end, where); };
    const std::string_view program =
        command.words.empty() ? std::string_view() : base_name(unwrapped(command.words)[0].text);
    if (places & kNetwork) {
      for (const Word& word : command.words)
        if (places_of(word, state.directory) & (kCredential | kAccounts | kPrivate | kMemory)) say("sends-secret");
      if (is_shell(program))
        say("reverse-shell");
      else if (!program.empty() && !listed("echo printf cat : true", program))
        say("raw-connection");
      continue;
    }
    if (one.kind == Way::kRead) {
      if (places & (kCredential | kMemory)) say("read-secret");
      continue;
    }
    if (places & (kDisk | kMemory)) say("write-disk");
    if (places & kGuard) say("write-guard");
    if (places & kKernel) say("write-kernel");
    if ((places & kAccounts) && !where.remote) say("write-accounts");
    if ((places & kLog) && one.kind == Way::kWrite && !(places & kTemp)) say("write-log");
    if ((places & kStartup) && !(places & kAccounts)) startup_text(state, command, at, where);
    const bool device = at.text.starts_with("/sys/") || at.text.starts_with("/proc/");
    if ((places & (kSetting | kBelowSystem)) && one.kind == Way::kWrite && !device &&
        !(places & (kStartup | kAccounts | kKernel | kGuard)) && ((places & kSetting) || !at.text.starts_with("/etc/")))
      say("write-system");
  }
}

// What a command writes to its output, where that is plain.
std::string Judge::printed(State& state, const Simple& command) {
  std::string text;
  const Words words = unwrapped(command.words);
  for (const Redirect& one : command.redirects)
    if (one.kind == Redirect::Kind::kText) text += one.target.text + "\n";
  if (text.empty() && !words.empty() && (words[0].text == "echo" || words[0].text == "printf"))
    text = joined(words.subspan(1));
  if (text.empty() && !command.fed_by.empty()) text = input(state, command).literal;
  if (text.starts_with("-e ") || text.starts_with("-n ")) text.erase(0, 3);
  for (std::size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at + 2))
    text.replace(at, 2, " \n");  // as printf and echo -e write it
  return text;
}

void Judge::startup_text(State& state, const Simple& command, const Word& target, Where where) {
  const std::string text = printed(state, command);
  const bool shell_file =
      target.text.find("rc") != std::string::npos || target.text.find("profile") != std::string::npos ||
      target.text.find("zsh") != std::string::npos || target.text.find("environment") != std::string::npos;
  // A rule about devices that starts nothing.
  const bool plain_rule = target.text.find("rules.d/") != std::string::npos && text.find("RUN") == std::string::npos;
  if (!text.empty() && plain_rule) return;
  if (!text.empty() && shell_file && only_settings(text)) {
    Advice inner;
    Judge(inner).posix(text, Where{.depth = static_cast<std::uint8_t>(where.depth + 1)});
    if (inner.verdict == Verdict::kSafe) return;
  }
  report("write-startup", target.begin, target.end, where);
}

void Judge::fork_bomb(const Script& script, Where where) {
  for (const Function& function : script.functions) {
    bool calls = false;
    bool spreads = false;
    for (std::size_t i = function.body.first; i < std::min(function.body.last, script.commands.size()); ++i) {
      const Simple& one = script.commands[i];
      if (one.words.empty() || one.words[0].text != function.name) continue;
      calls = true;
      spreads = spreads || one.background || !one.fed_by.empty();
    }
    if (calls && spreads) report("fork-bomb", script.commands[function.body.first], where);
  }
  const Simple* endless = nullptr;
  bool waits = false;
  for (const Simple& one : script.commands) {
    if (!one.in_loop || one.words.empty()) continue;
    const std::string& name = one.words[0].text;
    if (name == "true" || name == ":") endless = &one;
    waits = waits || ((name == "sleep" || name == "wait" || name == "read") && !one.background);
  }
  if ((endless == nullptr && !script.endless) || waits) return;
  for (const Simple& one : script.commands)
    if (one.in_loop && one.background) return report("fork-bomb", one, where);
}

}  // namespace pinfold::advice
