// judge_calls.cc: judges what one command runs: itself, a wrapped command, texts and code in its arguments.
// Invariant: each layer of a wrapper is compared with the rules.
// Not here: pipes and files (judge_flow.cc).
#include <algorithm>

#include "safety/advice/ascii.h"
#include "safety/advice/judge.h"

namespace pinfold::advice {

namespace {

constexpr int kMostLayers = 12;

bool is_sql_client(std::string_view program) {
  return listed(
      "mysql mariadb psql sqlite3 sqlite mysqlsh cockroach pgcli mycli sqlcmd duckdb clickhouse-client cqlsh sqlplus",
      program);
}

bool is_hidden(std::string_view path) {
  return path.starts_with("/dev/shm/") || path.starts_with("/var/tmp/") || path.starts_with("/tmp/.");
}

// Calls `found` with the text after each path of a shell, until it returns true.
bool any_shell_path(std::string_view text, auto&& found) {
  for (std::size_t at = text.find("bin/"); at != std::string_view::npos; at = text.find("bin/", at + 4)) {
    if (at == 0 || text[at - 1] != '/') continue;
    std::size_t start = at - 1;
    while (start > 0 && (is_name(text[start - 1]) || text[start - 1] == '/' || text[start - 1] == '.')) --start;
    std::size_t end = at + 4;
    while (end < text.size() && (is_name(text[end]) || text[end] == '.' || text[end] == '-')) ++end;
    const bool shebang = start >= 2 && text.substr(start - 2, 2) == "#!";
    if (!shebang && is_shell(text.substr(at + 4, end - at - 4)) && found(text.substr(end))) return true;
  }
  return false;
}

}  // namespace

bool names_shell_path(std::string_view text) {
  return any_shell_path(text, [](std::string_view) { return true; });
}

bool is_stranger(std::string_view command) {
  if (command.size() < 2 || command[0] != '/') return false;
  for (const std::string_view home : {"/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/home/", "/dev/"})
    if (command.starts_with(home)) return false;
  return true;
}

bool names_bare_shell(std::string_view text) {
  if (has_any_case(text, "shell=") || text.find("/etc/shells") != std::string_view::npos) return false;
  return any_shell_path(text, [](std::string_view rest) {
    if (rest.empty() || std::string_view("\"'\\)],;}").find(rest[0]) != std::string_view::npos) return true;
    for (const std::string_view more : {" -i", " -p", " 0<", " <", " 1>", " 2>", " >&"})
      if (rest.starts_with(more)) return true;
    return false;
  });
}

void Judge::run(State& state, const Simple& command, Words words, CallContext context) {
  if (words.empty() || words[0].text.empty() || context.depth > kMostLayers + 8) return;
  std::string_view name = base_name(words[0].text);
  if (name == "$SHELL") name = "bash";
  const Program* program = find_program(name == "bash" ? name : std::string_view(words[0].text));
  // A wrapper's options end where the command begins: -S of `sudo ls -S` is not sudo's.
  const bool wraps = program != nullptr && program->kind == ProgramKind::kWrapper;
  const std::size_t own =
      wraps ? std::min(length_of_wrapper(words.subspan(1), *program), words.size() - 1) : words.size() - 1;
  const Arguments arguments = read_arguments(words.subspan(1, own), program, Dialect::kPosix);
  if (only_explains(program, words)) return;
  const Call call{name, arguments, words, state.directory, Dialect::kPosix};
  for (const Rule* rule : matching(call)) report(*rule, words[0].begin, words.back().end, context);

  if (words[0].text.find('/') != std::string::npos || words[0].unknown) {
    if (was_downloaded(state, words[0])) report("runs-download", command, context);
    if (is_hidden(words[0].text)) report("runs-hidden", command, context);
    runs_written(state, words[0], Language::kNone, context);
  }
  remember_downloads(state, command, words, arguments);
  sends(state, command, words, arguments, context);
  if (is_sql_client(name))
    for (const Word& word : words.subspan(1))
      if (destroys_data(word.text)) report("sql-destroy", word.begin, word.end, context);
  if (is_sql_client(name) && (!command.fed_by.empty() || !command.redirects.empty()) &&
      destroys_data(input(state, command).literal))
    report("sql-destroy", command, context);

  special(state, command, words, program, arguments, context);
  helpers(state, command, words, arguments, context);
  if (program == nullptr) return hands_over(program, words, context);
  command_options(state, *program, arguments, name, context);
  switch (program->kind) {
    case ProgramKind::kWrapper: return wrapper(state, command, words, *program, context);
    case ProgramKind::kShell: return shell(state, command, words, arguments, context);
    case ProgramKind::kInterpreter: interpreter(state, command, *program, arguments, context); break;
    case ProgramKind::kPlain:
    case ProgramKind::kTalks:
      if (program->language != Language::kNone) interpreter(state, command, *program, arguments, context);
      break;
    case ProgramKind::kNames:
    case ProgramKind::kElsewhere: return;
  }
  hands_over(program, words, context);
}

void Judge::wrapper(State& state, const Simple& command, Words words, const Program& program, CallContext context) {
  const std::string_view name = base_name(words[0].text);
  const std::size_t own = std::min(1 + length_of_wrapper(words.subspan(1), program), words.size());
  Words inner = words.subspan(own);
  if (name == "parallel")
    for (std::size_t i = 0; i < inner.size(); ++i)
      if (inner[i].text.starts_with(":::")) {
        // parallel … ::: a b: without a command before it, a and b are the commands.
        inner = i == 0 ? inner.subspan(1) : inner.first(i);
        break;
      }
  const bool by_list = name == "parallel" && inner.size() < words.size() - own;
  const bool root = name == "sudo" || name == "doas" || name == "pkexec" || name == "run0";
  if (inner.empty()) {
    if (name == "parallel") runs_flow(input(state, command), command, context);
    const Arguments own_arguments = read_arguments(words.subspan(1), &program, Dialect::kPosix);
    if (root && (own_arguments.has("-i") || own_arguments.has("-s") || own_arguments.has("--login") ||
                 own_arguments.has("--shell")))
      report("opens-root-shell", command, context);
    const bool asks = own_arguments.has("--help") || own_arguments.has("--version") || own_arguments.has("-V");
    if (!asks && (name == "pkexec" || (listed("chroot unshare nsenter run0", name) && words.size() > 1)))
      report(root ? "opens-root-shell" : "opens-shell", command, context);
    return;
  }
  if (++context.depth > kMostLayers) {
    out_.complete = false;
    return;
  }
  context.as_root = context.as_root || root;
  // sudo su - postgres becomes that one user; without a name, or with root's, it is root.
  if (root && base_name(inner[0].text) == "su") {
    const bool other = std::any_of(inner.begin() + 1, inner.end(), [](const Word& w) {
      return w.text == "-c" || (w.text[0] != '-' && w.text != "root" && !is_shell(w.text));
    });
    if (!other) report("opens-root-shell", command, context);
  }
  if (!listed("exec command builtin sudo doas", name)) context.inside = true;
  if (name == "xargs" || name == "parallel") {
    context.fed = !command.fed_by.empty();
    if (takes_code_from_input(words.first(own), inner)) runs_flow(input(state, command), command, context);
    given_words(state, command, by_list ? words.subspan(own) : Words(), inner, context);
  }
  if (name == "watch" || name == "parallel" || name == "hyperfine" || name == "xvfb-run") {
    const bool exact =
        std::any_of(words.begin(), words.end(), [](const Word& w) { return w.text == "-x" || w.text == "--exec"; });
    if (!exact && name != "xvfb-run") {
      context.inside = true;
      return nested(joined(inner), inner[0], context);
    }
  }
  run(state, command, inner, context);
}

void Judge::shell(State& state, const Simple& command, Words words, const Arguments& arguments, CallContext context) {
  const std::string_view name = base_name(words[0].text);
  if (name.starts_with("pwsh") || name.starts_with("powershell")) {
    if (context.place == nullptr) context.place = &words[0];
    return windows(joined(words), context);
  }
  const auto& given = arguments.words;
  for (const Word* word : given)
    if (!word->made_by.empty()) {
      const Flow made = flow(state, word->made_by, 1);
      runs_flow(made, command, context);
      if (given[0] != word) break;
    }
  if (arguments.has("-c")) {
    if (given.empty()) return;
    CallContext in = context;
    in.inside = true;
    return nested(given[0]->text, *given[0], in);
  }
  const bool from_stdin =
      given.empty() || arguments.has("-s") || given[0]->text == "-" || given[0]->text == "/dev/stdin";
  if (!from_stdin) {
    if (is_hidden(given[0]->text)) report("runs-hidden", command, context);
    if (was_downloaded(state, *given[0])) report("runs-download", command, context);
    runs_written(state, *given[0], Language::kNone, context);
    return;
  }
  const Flow in = input(state, command);
  if (in.any) {
    runs_flow(in, command, context);
    if (!in.literal.empty() && !words.empty()) nested(in.literal, words[0], context);
    return;
  }
  if (context.fed || context.remote) return;
  const bool asks = arguments.has("--help") || arguments.has("--version") || arguments.has("-n") || arguments.has("-V");
  if (asks) return;
  if (context.as_root)
    report("opens-root-shell", command, context);
  else if (context.inside || arguments.has("-i") || arguments.has("-p") || !listed("bash zsh fish $SHELL", name))
    report("opens-shell", command, context);
}

void Judge::interpreter(State& state, const Simple& command, const Program& program, const Arguments& arguments,
                        CallContext context) {
  bool has_code = false;
  for (const Option& option : arguments.options) {
    if (!listed(program.code, option.name) || option.value == nullptr) continue;
    has_code = true;
    code(option.value->text, program.language, *option.value, context);
    if (!option.value->made_by.empty()) runs_flow(flow(state, option.value->made_by, 1), command, context);
  }
  const auto& words = arguments.words;
  if (program.code_first) {
    if (!has_code && !words.empty() && !arguments.has("-f") && !arguments.has("--file"))
      code(words[0]->text, program.language, *words[0], context);
    return;
  }
  if (program.kind != ProgramKind::kInterpreter || has_code) return;
  if (words.empty() || words[0]->text == "-" || words[0]->text == "/dev/stdin") {
    if (arguments.has("-m") || arguments.has("--version") || arguments.has("-V") || arguments.has("-v")) return;
    const Flow in = input(state, command);
    runs_flow(in, command, context);
    if (!in.literal.empty()) code(in.literal, program.language, command.words[0], context);
    return;
  }
  if (was_downloaded(state, *words[0])) report("runs-download", command, context);
  runs_written(state, *words[0], program.language, context);
  if (!words[0]->made_by.empty()) runs_flow(flow(state, words[0]->made_by, 1), command, context);
}

void Judge::code(std::string_view text, Language language, const Word& word, CallContext context) {
  const CodeFacts facts = scan_code(text, language);
  const auto say = [&](std::string_view rule) { report(rule, word.begin, word.end, context); };
  if (facts.connects && facts.hands_over_streams &&
      (!facts.commands.empty() || facts.runs_unknown || language == Language::kAwk))
    say("reverse-shell");
  if (facts.fetches && facts.evaluates) say("code-from-network");
  if (facts.decodes && facts.evaluates) say("runs-decoded");
  if (facts.forks_forever) say("fork-bomb");
  for (const std::string& path : facts.deletes)
    if (path_kinds_of(tidy_path(path)) & (kRoot | kHome | kSystem | kAccounts)) say("deletes-by-code");
  for (const std::string& path : facts.touches) {
    const PathKinds places = path_kinds_of(path);
    if (places & kCredential) say(facts.connects || facts.fetches ? "sends-secret" : "read-secret");
    if ((places & kDisk) && facts.writes) say("write-disk");
    if ((places & (kRoot | kHome | kSystem)) && facts.walks && facts.removes) say("deletes-by-code");
  }
  if (facts.whole_environment && (facts.connects || facts.fetches)) say("sends-secret");
  if (facts.loads) say("option-runs");
  CallContext inner = context;
  inner.inside = true;
  for (const std::string& line : facts.commands) {
    nested(line, word, inner);
    if (is_stranger(line)) say("interpreter-runs");
  }
  if (facts.runs_unknown && facts.commands.empty() && language != Language::kOther && language != Language::kAwk)
    say("interpreter-runs");
}

void Judge::command_options(State& state, const Program& program, const Arguments& arguments, std::string_view name,
                            CallContext context) {
  context.inside = true;
  for (const Option& option : arguments.options) {
    if (listed(program.starts, option.name)) {
      const std::uint32_t end = option.value != nullptr ? option.value->end : 0;
      report("option-runs", option.value != nullptr ? option.value->begin : 0, end, context);
    }
    if (option.value == nullptr || !listed(program.commands, option.name)) continue;
    std::string_view text = option.value->text;
    if (name == "git" && option.name == "-c") {
      const auto equals = text.find('=');
      const std::string key = lower(text.substr(0, equals));
      const bool runs = key.starts_with("alias.") || key.starts_with("pager.") || key.ends_with(".textconv") ||
                        listed(
                            "core.pager core.editor core.sshcommand core.fsmonitor core.gitproxy diff.external "
                            "sequence.editor credential.helper core.askpass",
                            key);
      if (equals == std::string_view::npos || !runs) continue;
      text.remove_prefix(equals + 1);
      if (!is_usual_helper(key, text)) report("option-runs", option.value->begin, option.value->end, context);
    }
    if (text.starts_with("exec=") || text.starts_with("exec:")) text.remove_prefix(5);
    if (option.name == "--checkpoint-action" && !std::string_view(option.value->text).starts_with("exec")) continue;
    text.remove_prefix(std::min(text.find_first_not_of("!|"), text.size()));
    nested(text, *option.value, context);
    runs_written(state, *option.value, Language::kNone, context);
    if (is_stranger(text) && listed("tar bsdtar gtar rsync zip split csplit man sort cpio dmsetup git", name))
      report("option-runs", option.value->begin, option.value->end, context);
  }
}

void Judge::special(State& state, const Simple& command, Words words, const Program* program,
                    const Arguments& arguments, CallContext context) {
  const std::string_view name = base_name(words[0].text);
  if (program != nullptr && listed(program->names, "find")) return find(state, command, words, context);
  if (name == "eval" || name == "source" || name == ".") {
    for (const Word& word : words.subspan(1))
      if (!word.made_by.empty()) runs_flow(flow(state, word.made_by, 1), command, context);
    if (name == "eval" && words.size() > 1) {
      context.inside = true;
      nested(joined(words.subspan(1)), words[1], context);
    } else if (words.size() > 1 && was_downloaded(state, words[1])) {
      report("runs-download", command, context);
    } else if (words.size() > 1 && name != "eval" && words[1].text != "/dev/stdin") {
      runs_written(state, words[1], Language::kNone, context);
    } else if (words.size() > 1 && words[1].text == "/dev/stdin") {
      runs_flow(input(state, command), command, context);
    }
    return;
  }
  if (name == "ssh" || name == "autossh" || name == "mosh") {
    CallContext in = context;
    in.inside = true;
    for (const Option& option : arguments.options) {
      if (option.name != "-o" || option.value == nullptr) continue;
      const std::string_view text = option.value->text;
      const auto cut = text.find_first_of("= ");
      if (cut != text.npos &&
          (has_any_case(text.substr(0, cut), "proxycommand") || has_any_case(text.substr(0, cut), "localcommand")))
        nested(text.substr(cut + 1), *option.value, in);
    }
    in.remote = true;
    std::string line;
    for (std::size_t i = 1; i < arguments.words.size(); ++i) line += (i > 1 ? " " : "") + arguments.words[i]->text;
    if (!line.empty()) nested(line, *arguments.words[1], in);
    return;
  }
  if (name == "tee")
    for (const Word* word : arguments.words) {
      remember_text(state, command, word->text);
      const PathKinds places = path_kinds_of(*word, state.directory);
      if ((places & kStartup) && !(places & kAccounts)) startup_text(state, command, *word, context);
    }
  if (name == "ansible") {
    // -m shell -a TEXT runs TEXT on every host.
    const Word* module = arguments.value("-m");
    const Word* text = arguments.value("-a");
    if (text != nullptr && (module == nullptr || listed("shell command raw script", module->text))) {
      CallContext in = context;
      in.inside = true;
      in.remote = arguments.words.empty() || arguments.words[0]->text != "localhost";
      nested(text->text, *text, in);
    }
  }
  if (name == "crontab" && (!command.fed_by.empty() || !command.redirects.empty()) && !arguments.has("-l"))
    report("write-startup", command, context);
  if (name == "at" || name == "batch") {
    const Flow in = input(state, command);
    if (!in.literal.empty()) {
      if (in.literal.find("/tmp/") != std::string::npos) report("write-startup", command, context);
      nested(in.literal, words[0], context);
    }
  }
  if (name == "tmux" || name == "screen") {
    for (const Word* word : arguments.words)
      if (word->text.find(' ') != std::string::npos || names_shell_path(word->text)) {
        context.inside = true;
        nested(word->text, *word, context);
      }
  }
  if (name == "capsh" && arguments.has("--") && arguments.words.empty()) report("opens-shell", command, context);
  if (name == "script" && !arguments.has("-c") &&
      std::any_of(words.begin(), words.end(), [](const Word& w) { return w.text == "/dev/null"; }))
    report("opens-shell", command, context);
  if (name == "ip" && words.size() > 4 && words[1].text == "netns" && words[2].text == "exec") {
    context.inside = true;
    run(state, command, words.subspan(4), context);
  }
  if (listed("npm yarn pnpm bundle poetry pipenv cabal stack uv rbenv pyenv conda", name)) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
      if (words[i].text == "exec" || words[i].text == "run") {
        if (words.size() == i + 2 && is_shell(words[i + 1].text)) report("opens-shell", command, context);
        break;
      }
  }
  if (listed("cp mv ln install", name) && arguments.words.size() == 2 && names_shell_path(arguments.words[0]->text) &&
      !is_shell(arguments.words[1]->text) && base_name(arguments.words[1]->text) != "" && !arguments.has("-s"))
    report("masquerade", command, context);
  const bool loops_over_home = command.in_loop && state.text.find("/home") != std::string_view::npos;
  if (loops_over_home && (name == "openssl" || name == "gpg") && state.text.find("rm ") != std::string_view::npos)
    report("encrypts-files", command, context);
  if (name == "su") {
    if (const Word* text = arguments.value("-c"); text != nullptr) nested(text->text, *text, context);
  }
  if ((name == "sqlite3" || name == "sqlite") && !arguments.words.empty())
    for (const Word* word : arguments.words)
      code(word->text.starts_with(".") ? word->text : "", Language::kOther, *word, context);
}

}  // namespace pinfold::advice
