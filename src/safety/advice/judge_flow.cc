// judge_flow.cc: data flow between commands: pipes, substitutions and files.
// Invariant: a flow is followed through at most kMostSteps pipes; tracks kinds of data, not the data.
// Not here: single commands.
#include <algorithm>

#include "safety/advice/ascii.h"
#include "safety/advice/judge.h"

namespace pinfold::advice {

namespace {

constexpr int kMostSteps = 6;
constexpr std::size_t kMostDownloads = 32;
constexpr std::size_t kMostLooks = 16384;
constexpr std::size_t kMostWritten = 8192;
constexpr std::size_t kMostWrites = 256;

bool any_word(std::span<const Word> words, auto&& test) {
  return std::any_of(words.begin(), words.end(), [&](const Word& word) { return test(std::string_view(word.text)); });
}

bool fetches(std::string_view program) {
  return listed(
      "curl wget fetch aria2c lynx GET http https xh lwp-request lwp-download w3m links elinks axel nc ncat netcat "
      "telnet socat ftp tftp s_client ssh dig nslookup drill busybox-wget powershell",
      program);
}

bool decodes(std::string_view program, std::span<const Word> words) {
  if (listed("base64 base32 base58 basenc gbase64", program))
    return any_word(words, [](auto w) {
      return w == "-d" || w == "-D" || w == "--decode" || w == "-di" || w == "-id" || w == "--d";
    });
  if (program == "xxd")
    return any_word(words, [](auto w) { return w.starts_with("-r") || w == "-ps" || w.starts_with("-p"); });
  if (program == "openssl") return any_word(words, [](auto w) { return w == "-d"; });
  if (program == "gpg") return any_word(words, [](auto w) { return w == "-d" || w == "--decrypt"; });
  if (listed("uudecode rev tr gunzip zcat bzcat xzcat bunzip2 unxz ascii2uni iconv dc", program)) return true;
  if (program == "gzip" || program == "xz" || program == "bzip2")
    return any_word(words, [](auto w) { return w.starts_with("-") && w.find('d') != w.npos; });
  if (program == "printf" || program == "echo")
    return any_word(
        words, [](auto w) { return w.find("\\x") != w.npos || w.find("\\0") != w.npos || w.find("\\1") != w.npos; });
  if (listed("python python3 perl ruby php node awk", program))
    return any_word(words, [](auto w) {
      return has_any_case(w, "base64") || w.find("pack(") != w.npos || w.find("chr(") != w.npos ||
             has_any_case(w, "decode") || w.find("\\x") != w.npos || w.find("%c") != w.npos;
    });
  return false;
}

}  // namespace

std::span<const Word> unwrapped(std::span<const Word> words) {
  for (int steps = 0; steps < kMostSteps && !words.empty(); ++steps) {
    const Program* program = find_program(words[0].text);
    if (program == nullptr || program->kind != ProgramKind::kWrapper ||
        listed("xargs parallel watch", base_name(words[0].text)))
      return words;
    const auto inner = words.subspan(std::min(1 + length_of_wrapper(words.subspan(1), *program), words.size()));
    if (inner.empty()) return words;
    words = inner;
  }
  return words;
}

Judge::Flow Judge::flow(const State& state, Range range, int depth) {
  Flow out;
  const auto& all = state.script.commands;
  range.last = std::min(range.last, all.size());
  // Long groups are judged by their last commands, which produce most of the output.
  if (range.last - std::min(range.first, range.last) > 64) range.first = range.last - 64;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const Simple& one = all[i];
    out.any = true;
    if (++steps_ > kMostLooks) {
      out_.complete = false;
      return out;
    }
    if (one.words.empty()) continue;
    const Words words = unwrapped(one.words);
    const std::string_view program = base_name(words[0].text);
    if (fetches(program) && !(program == "ssh" && words.size() < 3)) out.network = true;
    if (program == "openssl" && any_word(words, [](auto w) { return w == "s_client"; })) out.network = true;
    if (decodes(program, words)) out.decoded = true;
    if (listed("base64 base32 xxd od hexdump uuencode", program) && (program == "xxd" || !decodes(program, words)))
      out.encoded = true;
    if ((listed("env printenv set export", program) && words.size() == 1) || program == "history") out.secret = true;
    if (listed("xwd scrot screencapture grim maim arecord pbpaste xsel", program)) out.secret = true;  // the screen
    for (const Word& word : words.subspan(1))
      if (path_kinds_of(word, state.directory) & kPrivate) out.private_name = true;
    for (const Word& word : words.subspan(1))
      if ((path_kinds_of(word, state.directory) & (kCredential | kMemory)) ||
          (program != "ls" && (path_kinds_of(word, state.directory) & kAccounts)) ||
          (program == "tar" && (path_kinds_of(word, state.directory) & (kHome | kRoot | kSystem))))
        out.secret = true;
    for (const Redirect& redirect : one.redirects) {
      if (redirect.kind == Redirect::Kind::kText && out.literal.size() < 65536)
        out.literal += redirect.target.text + "\n";
      if (redirect.kind == Redirect::Kind::kRead &&
          (path_kinds_of(redirect.target, state.directory) & (kCredential | kAccounts)))
        out.secret = true;
      if (redirect.kind == Redirect::Kind::kRead && (path_kinds_of(redirect.target, state.directory) & kNetwork))
        out.network = true;
      if (redirect.kind == Redirect::Kind::kRead && was_downloaded(state, redirect.target)) out.network = true;
    }
    if (program == "cat" && words.size() > 1 && was_downloaded(state, words[1])) out.network = true;
    if ((program == "echo" || program == "printf") && out.literal.size() < 65536)
      for (const Word& word : words.subspan(1))
        if (word.text != "-e" && word.text != "-n") out.literal += word.text + (program == "echo" ? " " : "");
    if (!one.fed_by.empty() && depth < kMostSteps && one.fed_by.last <= range.first) {
      const Flow above = flow(state, one.fed_by, depth + 1);
      out.network = out.network || above.network;
      out.decoded = out.decoded || above.decoded;
      out.secret = out.secret || above.secret;
      out.private_name = out.private_name || above.private_name;
      out.encoded = out.encoded || above.encoded;
      if (out.literal.empty() && (program == "tee" || program == "cat")) out.literal = above.literal;
    }
  }
  return out;
}

Judge::Flow Judge::input(const State& state, const Simple& command) {
  Flow out = command.fed_by.empty() ? Flow{} : flow(state, command.fed_by, 0);
  for (const Redirect& one : command.redirects) {
    if (one.kind == Redirect::Kind::kText) {
      out.any = true;
      out.literal += one.target.text + "\n";
    }
    if (one.kind != Redirect::Kind::kRead && one.kind != Redirect::Kind::kText) continue;
    // The terminal is where a person types: no input that could be looked at.
    const std::string& from = one.target.text;
    if (one.kind == Redirect::Kind::kRead && from != "/dev/tty" && from != "$()" && !from.starts_with('@'))
      out.any = true;
    if (one.kind == Redirect::Kind::kRead && was_downloaded(state, one.target)) out.network = true;
    if (!one.target.made_by.empty()) {
      const Flow made = flow(state, one.target.made_by, 1);
      out.network = out.network || made.network;
      out.decoded = out.decoded || made.decoded;
    }
  }
  return out;
}

void Judge::runs_flow(const Flow& flow, const Simple& command, CallContext context) {
  if (flow.network) report("runs-download", command, context);
  if (flow.decoded) report("runs-decoded", command, context);
}

void Judge::sends(State& state, const Simple& command, Words words, const Arguments& arguments, CallContext context) {
  const std::string_view program = base_name(words[0].text);
  if (program == "curl" || program == "wget")
    for (const Option& option : arguments.options) {
      if (option.value == nullptr || !listed("-d --data --data-binary --data-raw --data-urlencode -F --form -T "
                                             "--upload-file --post-file --body-file",
                                             option.name))
        continue;
      const std::string& text = option.value->text;
      const auto at = text.rfind('@');
      const bool file = at != std::string::npos || listed("-T --upload-file --post-file --body-file", option.name);
      if (file && (path_kinds_of(std::string_view(text).substr(at == std::string::npos ? 0 : at + 1)) & kPrivate))
        report("sends-secret", option.value->begin, option.value->end, context);
    }
  // env | grep SECRET
  if (listed("grep egrep fgrep rg", program) && !command.fed_by.empty() && any_word(words.subspan(1), [](auto w) {
        return has_any_case(w, "secret") || has_any_case(w, "passw") || has_any_case(w, "token") ||
               has_any_case(w, "api_key") || has_any_case(w, "credential");
      })) {
    const Simple& source = state.script.commands[std::min(command.fed_by.first, state.script.commands.size() - 1)];
    if (source.words.size() == 1 && listed("env printenv set export", source.words[0].text))
      report("read-secret", command, context);
  }
  if (listed("dig nslookup host drill ping curl wget", program)) {
    for (const Word& word : words.subspan(1)) {
      if (word.made_by.empty() || word.text.find("$()") == std::string::npos) continue;
      const Flow made = flow(state, word.made_by, 1);
      const bool web = program == "curl" || program == "wget";
      const bool name = !web && word.text.find("$().") != std::string::npos;
      if (name || (web && (made.secret || made.encoded))) report("name-tunnel", word.begin, word.end, context);
    }
  }
  if (!command.fed_by.empty() || !command.redirects.empty()) {
    const bool body = arguments.has("-d") || arguments.has("--data") || arguments.has("--data-binary") ||
                      arguments.has("-T") || arguments.has("-F") || arguments.has("--data-raw") ||
                      arguments.has("--upload-file") || arguments.has("--post-file") || arguments.has("--form");
    const bool sender = listed("nc ncat netcat telnet socat mail mailx sendmail mutt", program) ||
                        (program == "openssl" && any_word(words, [](auto w) { return w == "s_client"; })) ||
                        ((program == "curl" || program == "wget") && body) || (program == "ssh" && words.size() > 2);
    const bool reads_input = sender || listed("http https xh", program);
    if (!reads_input) return;
    const Flow in = input(state, command);
    const bool here =
        any_word(words, [](auto w) { return has_any_case(w, "localhost") || w.find("127.0.0.1") != w.npos; });
    if (in.secret || (in.private_name && program != "ssh" && !here)) report("sends-secret", command, context);
    if (in.encoded && program != "ssh" && !here) report("name-tunnel", command, context);
    for (std::size_t i = command.fed_by.first; i < std::min(command.fed_by.last, state.script.commands.size()); ++i) {
      const Simple& source = state.script.commands[i];
      if (program == "ssh" || source.words.empty()) continue;
      const Words inner = unwrapped(source.words);
      const bool plain =
          std::all_of(inner.begin() + 1, inner.end(), [](const Word& w) { return w.text.starts_with('-'); });
      if (is_shell(inner[0].text) && plain) report("reverse-shell", command, context);
    }
    for (const Redirect& one : command.redirects)
      if (one.kind == Redirect::Kind::kRead &&
          (path_kinds_of(one.target, state.directory) & (kCredential | kAccounts | kMemory | kPrivate)))
        report("sends-secret", command, context);
  }
}

void Judge::remember_downloads(State& state, const Simple& command, Words words, const Arguments& arguments) {
  if (state.downloaded.size() >= kMostDownloads) return;
  const std::string_view program = base_name(words[0].text);
  const auto add = [&](std::string_view path) {
    if (!path.empty() && path != "-") state.downloaded.push_back(tidy_path(path));
  };
  const bool network = fetches(program);
  if (network || decodes(program, words))
    for (const Redirect& one : command.redirects)
      if (one.kind == Redirect::Kind::kWrite && one.target.text != "/dev/null") add(one.target.text);
  if (program == "tee" && !command.fed_by.empty() && words.size() > 1 && flow(state, command.fed_by, 0).network)
    add(words.back().text);
  // Copying, moving and chmod do not change the kind of the data.
  if ((program == "mv" || program == "cp") && words.size() == 3 && was_downloaded(state, words[1])) add(words[2].text);
  if (!network) return;
  for (const std::string_view name : {"-o", "--output", "-O", "--output-document"})
    if (const Word* value = arguments.value(name); value != nullptr) add(value->text);
  const bool named = arguments.has("-O") || arguments.has("--remote-name") ||
                     (program == "wget" && !arguments.has("-O")) || listed("aria2c axel lwp-download tftp", program);
  if (!named) return;
  for (const Word* word : arguments.words)
    if (word->text.find('/') != std::string::npos || program == "tftp" || program == "lwp-download")
      add(base_name(word->text));
}

void Judge::remember_text(State& state, const Simple& command, std::string_view path) {
  if (path.empty() || path.starts_with("/dev/") || state.written.size() >= kMostDownloads) return;
  if (++state.writes > kMostWrites) return;
  std::string text = printed(state, command);
  if (text.empty() || text.size() > kMostWritten) return;
  const std::string tidy = tidy_path(path);
  for (auto& [known, before] : state.written)
    if (known == tidy && before.size() < kMostWritten) {
      before += "\n" + text;
      return;
    }
  state.written.emplace_back(tidy, std::move(text));
}

void Judge::runs_written(const State& state, const Word& word, Language language, CallContext context) {
  if (state.written.empty()) return;
  std::string path = tidy_path(word.text);
  for (const auto& [known, text] : state.written) {
    if (known != path && (!path.starts_with("./") || known != path.substr(2))) continue;
    context.inside = true;
    if (language == Language::kNone)
      nested(text, word, context);
    else
      code(text, language, word, context);
    return;
  }
}

bool Judge::was_downloaded(const State& state, const Word& word) const {
  if (state.downloaded.empty() || word.text.empty()) return false;
  std::string path = tidy_path(word.text);
  if (path.starts_with("./")) path.erase(0, 2);
  return std::any_of(state.downloaded.begin(), state.downloaded.end(), [&](const std::string& one) {
    return one == path || (one.starts_with("./") && one.substr(2) == path);
  });
}

}  // namespace pinfold::advice
