// judge.cc: judges scripts, simple commands, assignments and redirections.
// Invariant: see judge.h. Not here: a program's arguments (judge_calls.cc), data flow (judge_flow.cc).
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

void Judge::report(const Rule& rule, std::uint32_t begin, std::uint32_t end, CallContext context) {
  if (context.place != nullptr) {
    begin = context.place->begin;
    end = context.place->end;
  }
  const bool known = std::any_of(out_.findings.begin(), out_.findings.end(), [&](const Finding& one) {
    return one.rule == rule.id && one.begin == begin && one.end == end;
  });
  out_.verdict = std::max(out_.verdict, rule.verdict);
  if (known || out_.findings.size() >= kMostFindings) return;
  out_.findings.push_back({rule.id, rule.category, rule.verdict, begin, end, rule.reason, rule.safer});
}

void Judge::report(std::string_view rule, std::uint32_t begin, std::uint32_t end, CallContext context) {
  report(rule_named(rule), begin, end, context);
}

void Judge::report(std::string_view rule, const Simple& command, CallContext context) {
  report(rule, command.begin, command.end, context);
}

void Judge::nested(std::string_view text, const Word& word, CallContext context) {
  if (context.place == nullptr) context.place = &word;
  if (++context.depth > kMostDepth || ++nested_ > kMostTexts) {
    out_.complete = false;
    return;
  }
  posix(text, context);
}

void Judge::posix(std::string_view text, CallContext context) {
  const Script read = read_shell(text);
  if (!read.complete) out_.complete = false;
  State state{read, text};
  script(state, context);
}

void Judge::script(State& state, CallContext context) {
  fork_bomb(state.script, context);
  for (const Simple& one : state.script.commands) command(state, one, context);
}

void Judge::command(State& state, const Simple& command, CallContext context) {
  context.inside = context.inside || state.typed;
  assignments(command, context);
  redirects(state, command, context);
  if (command.words.empty()) return;
  const Words words(command.words);
  typed_lines(state, command, find_program(unwrapped(words)[0].text), context);
  if (words[0].glob) by_pattern(state, command, words, context);
  run(state, command, words, context);
  // A bare SQL statement: any client that runs it removes data.
  if (words.size() > 2 && is_statement(words[0].text, words[1].text) &&
      destroys_data(state.text.substr(std::min<std::size_t>(command.begin, state.text.size()), 1024)))
    report("sql-destroy", command, context);
  constexpr std::size_t kMostFunctions = 64;
  for (const Function& function :
       std::span(state.script.functions).first(std::min(state.script.functions.size(), kMostFunctions)))
    if (function.name == words[0].text) called(state, function, words, context);
  // $(curl …), `echo … | base64 -d`: the output of the inner commands runs.
  if (words[0].text == "$()") runs_flow(flow(state, words[0].made_by, 1), command, context);
  if (words[0].text == "cd" || words[0].text == "pushd") {
    const std::string& to = words.size() > 1 ? words[1].text : "~";
    const bool absolute = to.starts_with('/') || to.starts_with('~') || to.starts_with('$');
    state.directory = absolute ? tidy_path(to) : state.directory.empty() ? "" : tidy_path(state.directory + "/" + to);
  }
}

// Input lines for an editor, a pager or an interpreter that the previous line started.
void Judge::typed_lines(State& state, const Simple& command, const Program* program, CallContext context) {
  const std::string& name = command.words[0].text;
  if (name.size() > 1 && context.place == nullptr &&
      (name[0] == '!' || name.starts_with(":!") || name.starts_with("^]"))) {
    std::string typed = joined(command.words);
    typed.erase(0, typed.find_first_not_of(":!^]"));
    context.inside = true;
    nested(typed, command.words[0], context);
    return;
  }
  if (program == nullptr || context.depth > 0 || !command.fed_by.empty() || command.end >= state.text.size()) return;
  const bool waits = program->kind == ProgramKind::kTalks ||
                     (program->kind == ProgramKind::kInterpreter && unwrapped(command.words).size() == 1);
  if (!waits || state.text[command.end] != '\n' || !command.redirects.empty()) return;
  state.typed = true;
  const Language language = program->language == Language::kNone ? Language::kOther : program->language;
  Word rest;
  rest.text = state.text.substr(command.end + 1, 4096);
  rest.begin = command.end + 1;
  rest.end = static_cast<std::uint32_t>(state.text.size());
  code(rest.text, language, rest, context);
  if (program->kind == ProgramKind::kTalks && language != Language::kOther)
    code(rest.text, Language::kOther, rest, context);
}

void Judge::assignments(const Simple& command, CallContext context) {
  for (const Assignment& one : command.assignments) set_variable(one.name, one.value, command, context);
  if (command.words.size() < 2 || !listed("export declare typeset readonly local env setenv", command.words[0].text))
    return;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const auto equals = command.words[i].text.find('=');
    if (equals == std::string::npos) continue;
    Word value = command.words[i];
    const std::string name = value.text.substr(0, equals);
    value.text.erase(0, equals + 1);
    set_variable(name, value, command, context);
  }
}

void Judge::set_variable(std::string_view name, const Word& value, const Simple& command, CallContext context) {
  const std::string& text = value.text;
  if (listed("LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV PERL5OPT PYTHONSTARTUP RUBYOPT", name) &&
      !text.empty() && !(name.find('_') != name.npos && from_system(text)))
    report("preloads", command, context);
  if (name == "PROMPT_COMMAND" && text.find("/dev/tcp") != std::string::npos) report("preloads", command, context);
  if (name == "PROMPT_COMMAND" && (has_any_case(text, "curl") || has_any_case(text, "nc ")))
    report("preloads", command, context);
  if ((name == "HISTFILE" && (text.empty() || text == "/dev/null")) ||
      ((name == "HISTSIZE" || name == "HISTFILESIZE") && text == "0") || (name == "HISTIGNORE" && text == "*"))
    report("hides-history", command, context);
  if (listed("PAGER MANPAGER GIT_PAGER EDITOR VISUAL SUDO_EDITOR GIT_EDITOR BROWSER LESSOPEN LESSCLOSE GIT_SSH_COMMAND "
             "GIT_SSH GIT_EXTERNAL_DIFF SYSTEMD_PAGER TAR_OPTIONS BASH_FUNC MANOPT APT_CONFIG",
             name) &&
      !text.empty()) {
    context.inside = true;
    nested(text, value, context);
  }
}

// echo 'os.execute("/bin/sh")' > file: a program that runs the file later starts a shell.
void Judge::plants_shell(const Simple& command, CallContext context) {
  const Words words = unwrapped(command.words);
  for (const Redirect& one : command.redirects)
    if (one.kind == Redirect::Kind::kText && calls_bare_shell(one.target.text))
      return report("opens-shell", command, context);
  if (words.empty() || (words[0].text != "echo" && words[0].text != "printf")) return;
  for (const Word& word : words.subspan(1))
    if (word.text.size() < 4096 && names_bare_shell(word.text))
      return report("opens-shell", word.begin, word.end, context);
}

void Judge::redirects(State& state, const Simple& command, CallContext context) {
  const auto writes = [](const Redirect& r) {
    return r.kind == Redirect::Kind::kWrite || r.kind == Redirect::Kind::kAppend;
  };
  if (std::any_of(command.redirects.begin(), command.redirects.end(), writes)) plants_shell(command, context);
  using RedirectKind = Redirect::Kind;
  for (const Redirect& one : command.redirects) {
    if (one.kind == RedirectKind::kText || one.kind == RedirectKind::kDuplicate) continue;
    if (one.kind == RedirectKind::kWrite || one.kind == RedirectKind::kAppend)
      remember_text(state, command, one.target.text);
    // "nmap> !sh": a prompt and the typed line.
    if (one.kind == RedirectKind::kWrite && one.target.text.size() > 1 && one.target.text[0] == '!') {
      CallContext typed = context;
      typed.inside = true;
      nested(std::string_view(one.target.text).substr(1), one.target, typed);
    }
    const PathKinds places = path_kinds_of(one.target, state.directory);
    if (places == 0) continue;
    const Word& at = one.target;
    const auto say = [&](std::string_view rule) { report(rule, at.begin, at.end, context); };
    const std::string_view program =
        command.words.empty() ? std::string_view() : base_name(unwrapped(command.words)[0].text);
    if (places & kNetwork) {
      for (const Word& word : command.words)
        if (path_kinds_of(word, state.directory) & (kCredential | kAccounts | kPrivate | kMemory)) say("sends-secret");
      if (is_shell(program))
        say("reverse-shell");
      else if (!program.empty() && !listed("echo printf cat : true", program))
        say("raw-connection");
      continue;
    }
    if (one.kind == RedirectKind::kRead) {
      if (places & (kCredential | kMemory)) say("read-secret");
      continue;
    }
    if (places & (kDisk | kMemory)) say("write-disk");
    if (places & kGuard) say("write-guard");
    if (places & kKernel) say("write-kernel");
    if ((places & kAccounts) && !context.remote) say("write-accounts");
    if ((places & kLog) && one.kind == RedirectKind::kWrite && !(places & kTemp)) say("write-log");
    if ((places & kStartup) && !(places & kAccounts)) startup_text(state, command, at, context);
    const bool device = at.text.starts_with("/sys/") || at.text.starts_with("/proc/");
    if ((places & (kSetting | kBelowSystem)) && one.kind == RedirectKind::kWrite && !device &&
        !(places & (kStartup | kAccounts | kKernel | kGuard)) && ((places & kSetting) || !at.text.starts_with("/etc/")))
      say("write-system");
  }
}

// The output of a command, if it is a literal.
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

void Judge::startup_text(State& state, const Simple& command, const Word& target, CallContext context) {
  const std::string text = printed(state, command);
  const bool shell_file =
      target.text.find("rc") != std::string::npos || target.text.find("profile") != std::string::npos ||
      target.text.find("zsh") != std::string::npos || target.text.find("environment") != std::string::npos;
  // A rule about devices that starts nothing.
  const bool plain_rule = target.text.find("rules.d/") != std::string::npos && text.find("RUN") == std::string::npos;
  if (!text.empty() && plain_rule) return;
  if (!text.empty() && shell_file && only_settings(text)) {
    Advice inner;
    Judge(inner).posix(text, CallContext{.depth = static_cast<std::uint8_t>(context.depth + 1)});
    if (inner.verdict == AdviceVerdict::kSafe) return;
  }
  report("write-startup", target.begin, target.end, context);
}

void Judge::fork_bomb(const Script& script, CallContext context) {
  for (const Function& function : script.functions) {
    bool calls = false;
    bool spreads = false;
    for (std::size_t i = function.body.first; i < std::min(function.body.last, script.commands.size()); ++i) {
      const Simple& one = script.commands[i];
      if (one.words.empty() || one.words[0].text != function.name) continue;
      calls = true;
      spreads = spreads || one.background || !one.fed_by.empty();
    }
    if (calls && spreads) report("fork-bomb", script.commands[function.body.first], context);
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
    if (one.in_loop && one.background) return report("fork-bomb", one, context);
}

}  // namespace pinfold::advice
