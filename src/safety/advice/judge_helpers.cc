// judge_helpers.cc: programs that another program starts because of a setting, an option, an editor's variable, or a
// name that is a pattern.
// Invariant: as judge.h. Not here: options that the table of programs knows (judge_calls.cc).
#include <algorithm>

#include "safety/advice/ascii.h"
#include "safety/advice/judge.h"
#include "safety/advice/shell_reader.h"

namespace pinfold::advice {

namespace {

// "*", "?" and "[…]" of the shell, against a short name.
bool fits(std::string_view pattern, std::string_view name) {
  constexpr std::size_t kLongest = 64;
  if (pattern.size() > kLongest) return false;
  std::size_t at = 0;
  std::size_t in = 0;
  std::size_t star = std::string_view::npos;
  std::size_t after = 0;
  while (in < name.size()) {
    const char c = at < pattern.size() ? pattern[at] : '\0';
    if (c == '*') {
      star = at++;
      after = in;
    } else if (c == '?' || c == name[in]) {
      ++at;
      ++in;
    } else if (const auto close = pattern.find(']', at + 1);
               c == '[' && close != std::string_view::npos &&
               pattern.substr(at, close - at).find(name[in]) != std::string_view::npos) {
      at = close + 1;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in = ++after;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" \t")); }

// go run HOST/…@VERSION fetches and runs it; from these hosts everybody does.
bool is_strange_module(std::string_view word) {
  const auto slash = word.find('/');
  if (word.find('@') == std::string_view::npos || slash == std::string_view::npos || word.starts_with('.'))
    return false;
  const std::string_view host = word.substr(0, slash);
  return host.find('.') != std::string_view::npos &&
         !listed(
             "github.com golang.org google.golang.org gitlab.com sigs.k8s.io k8s.io honnef.co mvdan.cc gotest.tools "
             "go.uber.org gopkg.in bitbucket.org cuelang.org entgo.io rsc.io codeberg.org connectrpc.com filippo.io",
             host);
}

bool is_address(std::string_view word) {
  return word.starts_with("http://") || word.starts_with("https://") || word.starts_with("git+http");
}

// npx URL, npm exec URL, yarn dlx URL: the first word that is no option is the package that runs.
bool names_package(std::span<const Word> words, std::size_t at) {
  const std::string_view name = base_name(words[0].text);
  if (!listed("npx bunx npm pnpm yarn bun", name)) return false;
  std::size_t first = 1;
  if (name != "npx" && name != "bunx") {
    if (words.size() < 3 || !listed("dlx exec x", words[1].text)) return false;
    first = 2;
  }
  return at >= first && std::all_of(words.begin() + static_cast<std::ptrdiff_t>(first),
                                    words.begin() + static_cast<std::ptrdiff_t>(at),
                                    [](const Word& word) { return word.text.starts_with('-'); });
}

// The text that a sed script inserts with a, i, c, and the replacements of s.
struct SedInsertion {
  std::string lines;
  std::string replaced;
};
SedInsertion sed_insertion(std::string_view code) {
  SedInsertion out;
  std::size_t at = 0;
  const auto past = [&](char by) {
    const std::size_t start = at;
    for (; at < code.size() && code[at] != by; ++at)
      if (code[at] == '\\') ++at;
    at = std::min(at, code.size());
    const std::string_view part = code.substr(start, at - start);
    if (at < code.size()) ++at;
    return part;
  };
  while (at < code.size()) {
    const char c = code[at++];
    if (c == '/') {
      past('/');
    } else if (c == 's' && at < code.size() && !is_name(code[at]) && code[at] != ' ') {
      const char by = code[at++];
      past(by);
      out.replaced += std::string(past(by)) + "\n";
      while (at < code.size() && is_name(code[at])) ++at;
    } else if (c == 'a' || c == 'i' || c == 'c') {
      at = std::min(code.find_first_not_of(" \t\\\n", at), code.size());
      const std::size_t end = std::min(code.find('\n', at), code.size());
      out.lines += std::string(code.substr(at, end - at)) + "\n";
      at = end;
    } else if (is_letter(c)) {
      at = std::min(code.find_first_of(";}\n", at), code.size());
    }
  }
  return out;
}

// A program that everybody trusts by its name: /bin/ls, /usr/bin/sudo.
bool is_trusted_program(std::string_view path) {
  const std::string_view name = base_name(path);
  const std::string_view folder = path.substr(0, path.size() - name.size());
  return listed("/bin/ /sbin/ /usr/bin/ /usr/sbin/", folder) &&
         listed(
             "sudo su ls ps cat sh bash login ssh sshd passwd top netstat ss find grep id who w last mount rm cp mv "
             "systemctl init cron crond curl wget git gpg",
             name);
}

AdviceVerdict verdict_of(std::string_view text, CallContext context) {
  Advice inner;
  Judge(inner).posix(text, CallContext{.depth = static_cast<std::uint8_t>(context.depth + 1)});
  return inner.verdict;
}

}  // namespace

// A line that runs no program of its own in a start-up file.
bool only_settings(std::string_view text) {
  const Script script = read_shell(text);
  return script.complete && std::all_of(script.commands.begin(), script.commands.end(), [](const Simple& one) {
           if (one.words.empty()) return one.redirects.empty();
           return listed(
                      "export alias source . eval set shopt setopt complete compinit autoload bindkey [ [[ test umask "
                      "unalias echo stty ulimit command type",
                      one.words[0].text) ||
                  // eval "$(tool init -)": the tool's own line for start-up files.
                  std::any_of(one.words.begin(), one.words.end(), [](const Word& word) {
                    return listed("init hook shellenv completion env activate", word.text);
                  });
         });
}

bool is_usual_helper(std::string_view key, std::string_view command) {
  if (command.empty() || command.starts_with('!') || command.starts_with("f()")) return true;
  if (key.starts_with("alias.") || key.starts_with("credential.")) return true;
  const std::string_view program = base_name(first_word(command));
  if (key == "core.sshcommand") return listed("ssh plink plink.exe ssh.exe tsh gcloud autossh", program);
  if (key == "core.fsmonitor") return listed("true false 1 0", program) || command.find("watchman") != command.npos;
  if (key == "core.gitproxy" || key.ends_with(".textconv") || key == "diff.external" || key == "core.askpass")
    return !is_shell(program) && !is_stranger(command);
  return !is_stranger(command);
}

bool only_explains(const Program* program, std::span<const Word> words) {
  if (words.size() < 2 || words.size() > 5) return false;
  if (program != nullptr && (program->kind == ProgramKind::kWrapper || program->kind == ProgramKind::kShell))
    return false;
  const std::string& last = words.back().text;
  if (last != "--help" && last != "--version") return false;
  return std::all_of(words.begin() + 1, words.end() - 1, [](const Word& word) {
    return !word.text.empty() && is_letter(word.text[0]) && !word.unknown &&
           std::all_of(word.text.begin(), word.text.end(), [](char c) { return is_name(c) || c == '-'; });
  });
}

bool takes_code_from_input(std::span<const Word> own, std::span<const Word> inner) {
  if (inner.size() < 2 || !is_shell(inner[0].text)) return false;
  const auto code = std::find_if(inner.begin(), inner.end(), [](const Word& word) {
    return word.text.size() > 1 && word.text[0] == '-' && word.text[1] != '-' && word.text.ends_with('c');
  });
  if (code == inner.end()) return false;
  if (code + 1 == inner.end()) return true;
  std::string_view mark = "{}";
  for (std::size_t i = 1; i < own.size(); ++i) {
    const std::string_view text = own[i].text;
    if (text.starts_with("-I") && text.size() > 2) mark = text.substr(2);
    if (text == "-I" && i + 1 < own.size()) mark = own[i + 1].text;
  }
  return !mark.empty() && std::string_view((code + 1)->text).starts_with(mark);
}

// /???/r? -rf /: the shell finds the program by a pattern, and so does this.
void Judge::by_pattern(State& state, const Simple& command, Words words, CallContext context) {
  const std::string_view text = words[0].text;
  const auto slash = text.rfind('/');
  if (text.starts_with('[') || text.starts_with("./") || text.starts_with('~') || text.find('*') == 0) return;
  const std::string_view name = base_name(text);
  if (slash != std::string_view::npos && text[0] != '/') return;
  if (name.find_first_of("?*[") == std::string_view::npos) {
    if (find_program(name) != nullptr && text.find('?') != std::string_view::npos)
      report("pattern-name", command, context);
    return;
  }
  report("pattern-name", command, context);
  for (const std::string_view known : {"rm", "dd", "sh", "bash", "cat", "nc", "chmod", "mv", "curl", "wget", "python3"})
    if (fits(name, known)) {
      std::vector<Word> named(words.begin(), words.end());
      named[0].text = known;
      named[0].glob = false;
      run(state, command, named, context);
    }
}

// EDITOR='tee -a' visudo: a program that is not an editor writes the file without review.
void Judge::editor_of(const Simple& command, std::string_view program, CallContext context) {
  if (!listed("visudo vipw vigr crontab sudoedit", program)) return;
  const auto check = [&](std::string_view name, std::string_view value) {
    if (!listed("EDITOR VISUAL SUDO_EDITOR", name) || value.empty() || value.find('$') != value.npos) return;
    const std::string_view editor = base_name(first_word(value));
    if (listed("vi vim nvim nano emacs emacsclient ed micro code subl gedit kate joe mcedit pico hx helix kak mg ne",
               editor))
      return;
    report(program == "crontab" ? "write-startup" : "write-accounts", command, context);
  };
  for (const Assignment& one : command.assignments) check(one.name, one.value.text);
  for (const Word& word : command.words)
    if (const auto equals = word.text.find('='); equals != std::string::npos)
      check(std::string_view(word.text).substr(0, equals), std::string_view(word.text).substr(equals + 1));
}

// sed -i '1i curl x|sh' ~/.profile
void Judge::sed_inserts(const Simple& command, Words words, const Arguments& arguments, CallContext context) {
  if (!arguments.has("-i") && !arguments.has("--in-place")) return;
  const auto in = [&](PathKinds places) {
    return std::any_of(words.begin() + 1, words.end(), [&](const Word& word) {
      const PathKinds found = path_kinds_of(word, {});
      return (found & places) != 0 && (word.text[0] == '/' || word.text[0] == '~' || word.text[0] == '$');
    });
  };
  const bool startup = in(kStartup);
  if (!startup && !in(kSetting)) return;
  for (const Word& word : words.subspan(1)) {
    if (word.text.starts_with('-') || word.text.size() > 4096 || path_kinds_of(word, {}) & (kStartup | kSetting))
      continue;
    const SedInsertion text = sed_insertion(word.text);
    const bool lets_in = has_any_case(text.lines + text.replaced, "permitrootlogin yes") ||
                         has_any_case(text.lines + text.replaced, "permitemptypasswords yes");
    if (!startup && (lets_in || (!text.lines.empty() && in(kSetting)))) report("write-system", command, context);
    if (!startup) continue;
    const bool plain =
        text.lines.empty() || (only_settings(text.lines) && verdict_of(text.lines, context) == AdviceVerdict::kSafe);
    if (!plain || (!text.replaced.empty() && verdict_of(text.replaced, context) != AdviceVerdict::kSafe))
      report("write-startup", command, context);
  }
}

void Judge::helpers(State& state, const Simple& command, Words words, const Arguments& arguments, CallContext context) {
  const std::string_view name = base_name(words[0].text);
  const auto say = [&](std::string_view rule, const Word& word) { report(rule, word.begin, word.end, context); };
  editor_of(command, name, context);
  if (name == "sed" || name == "gsed") sed_inserts(command, words, arguments, context);
  if (listed("cp mv ln install scp", name) && arguments.words.size() > 1) {
    const std::string_view to = arguments.words.back()->text;
    const std::string_view from = arguments.words.front()->text;
    const bool own = from.starts_with("/bin/") || from.starts_with("/usr/") || from.starts_with("busybox");
    if (is_trusted_program(to) && !own) say("write-system", *arguments.words.back());
    if (name == "mv" && is_trusted_program(from)) say("write-system", *arguments.words.front());
  }
  CallContext inner = context;
  inner.inside = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Word& word = words[i];
    const std::string_view text = word.text;
    const auto value = [&]() -> std::string_view {
      const auto equals = text.find('=');
      if (equals != text.npos) return text.substr(equals + 1);
      return i + 1 < words.size() ? std::string_view(words[i + 1].text) : std::string_view();
    };
    const std::string_view option = text.substr(0, text.find('='));
    if (listed("make gmake bmake", name) && text.starts_with("SHELL=") && !is_shell(value())) say("option-runs", word);
    if (listed("npm npx pnpm yarn", name)) {
      if (option == "--script-shell" && !is_shell(value())) say("option-runs", word);
      const bool runs = name == "npx" || (words.size() > 1 && listed("exec x", words[1].text));
      if (runs && (option == "-c" || option == "--call")) nested(value(), word, inner);
    }
    if (name == "go" && option == "-toolexec") say("option-runs", word);
    if (name == "cargo" && option == "--config") {
      for (const std::string_view key : {"rustc-wrapper", "rustc=", ".runner", ".linker", "credential-provider"})
        if (value().find(key) != std::string_view::npos || text.substr(option.size()).find(key) != text.npos)
          say("option-runs", word);
    }
    if (option == "--pager" || option == "--editor" || option == "--browser") nested(value(), word, inner);
    if (listed("less more most ed red ex vi vim view", name) && (text.starts_with("+!") || text.starts_with('!')))
      nested(text.substr(text.find('!') + 1), word, inner);
    if (name == "ed" && option == "-c" && value().starts_with('!')) nested(value().substr(1), word, inner);
    if (listed("sqlite3 sqlite", name) && (text.starts_with(".load ") || has_any_case(text, "load_extension(")))
      say("option-runs", word);
    if (name == "deno" && i > 1 && is_address(text) && std::any_of(words.begin() + 2, words.end(), [](const Word& w) {
          return w.text == "-A" || w.text == "--allow-all" || w.text == "--allow-run";
        }))
      say("runs-address", word);
    if (is_address(text) && names_package(words, i) && text.find("localhost") == text.npos) say("runs-address", word);
    if (name == "go" && i == 2 && words[1].text == "run" && is_strange_module(text)) say("runs-address", word);
    if (text == "--") break;
  }
  static_cast<void>(state);
}

// A program that is given a shell's path most likely starts it, unless it only prints or names its words.
void Judge::hands_over(const Program* program, Words words, CallContext context) {
  // The code of awk and sed was read already; a path in it is compared or printed.
  if (program != nullptr && (program->language == Language::kAwk || program->language == Language::kSed)) return;
  const bool own_script = program == nullptr && (words[0].text.starts_with("./") || words[0].unknown);
  for (const Word& word : words.subspan(1)) {
    if (own_script && (&word == &words.back() || (&word + 1)->text != "-p")) continue;
    if (word.text.size() < 7 || word.text.size() > 2048 || !names_shell_path(word.text)) continue;
    if (has_any_case(word.text, "shell=/") || has_any_case(word.text, "shell /") || word.text.starts_with("--with-"))
      continue;
    if (&word > &words[1] && (&word - 1)->text.ends_with("shell")) continue;
    report("opens-shell", word.begin, word.end, context);
    return;
  }
}

}  // namespace pinfold::advice
