// code_scan.cc: the token scan, with the calls of each language as data.
// Invariant: looks at most kArguments bytes beyond a call. Not here: shell.
#include "safety/advice/code_scan.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "safety/advice/ascii.h"

namespace pinfold::advice {

namespace {

constexpr std::size_t kArguments = 512;
constexpr std::size_t kMostFacts = 16;

// The calls of a language that run a program, by their last name.
std::string_view runs(Language language) {
  switch (language) {
    case Language::kPython:
      return "system popen spawn spawnl spawnlp spawnv spawnvp execl execle execlp execlpe execv execve execvp execvpe "
             "check_output check_call Popen getoutput getstatusoutput posix_spawn run call startfile";
    case Language::kPerl: return "exec system popen open3 open2";
    case Language::kRuby: return "exec system spawn popen capture2 capture3 sh";
    case Language::kPhp: return "exec system passthru shell_exec popen proc_open pcntl_exec";
    case Language::kNode: return "exec execSync spawn spawnSync execFile execFileSync execa $";
    case Language::kLua: return "execute popen";
    case Language::kAwk: return "system";
    case Language::kVim: return "system systemlist term_start jobstart termopen";
    case Language::kDebugger: return "system execl execve";
    case Language::kOther:
      return "system exec shell execute run callCommand cmd spawn popen term ansi-term shell-command call-process "
             "start-process os.system execl script Popen command check_output";
    case Language::kNone:
    case Language::kSed: break;
  }
  return "";
}

constexpr std::string_view kDeletes =
    "rmtree rm_rf rm_r remove_tree rmSync rmdirSync rimraf remove_dir_all remove_entry_secure";
constexpr std::string_view kRemoves = "remove unlink unlinkSync rmdir removedirs delete unlink_p File::unlink";
constexpr std::string_view kWalks =
    "walk rglob glob iglob scandir listdir readdir readdirSync find finddepth Find RecursiveDirectoryIterator opendir "
    "each_child entries children";
constexpr std::string_view kFetches =
    "urlopen urlretrieve DownloadString file_get_contents curl_exec LWP fetch open-uri WWW requests urllib URI urllib2 "
    "httpx";
constexpr std::string_view kConnects =
    "connect create_connection TCPSocket fsockopen pfsockopen createConnection connect_tcp tcp_connect Socket INET "
    "socket tcp";
constexpr std::string_view kStreams =
    "dup2 fdopen reopen pipe redirect STDIN STDOUT makefile fileno spawn exec popen proc_open system sh stdin";

class Scan {
 public:
  Scan(std::string_view code, Language language) : code_(code), language_(language), runs_(runs(language)) {}

  CodeFacts run() {
    switch (language_) {
      case Language::kSed: sed(); return std::move(out_);
      case Language::kVim:
      case Language::kDebugger:
      case Language::kOther: lines(); break;
      default: break;
    }
    subprocess_ = mentions("subprocess") || language_ == Language::kOther;
    terminal_ = mentions("pty");
    child_process_ = mentions("child_process");
    loops_ = has_any_case(code_, "while") || mentions("for(;;)");
    while (at_ < code_.size()) step();
    if (language_ == Language::kAwk && code_.find("/inet/") != std::string_view::npos) {
      out_.connects = true;
      if (code_.find("getline") != std::string_view::npos) out_.hands_over_streams = true;
    }
    // gawk: @load "/tmp/x"
    if (language_ == Language::kAwk && (mentions("@load \"/") || mentions("@load \".") || mentions("@load \"~")))
      out_.loads = true;
    if (out_.connects && code_.find("/bin/") != std::string_view::npos) out_.hands_over_streams = true;
    return std::move(out_);
  }

 private:
  void step() {
    const char c = code_[at_];
    if (c == '"' || c == '\'') {
      const std::size_t start = at_;
      auto text = literal();
      if (!text) return;
      if (language_ == Language::kAwk) awk_pipe(*text, start);
      if (text->starts_with("http://") || text->starts_with("https://")) out_.fetches = true;
      if (out_.touches.size() < kMostFacts && text->find_first_of("/~.") != std::string::npos)
        out_.touches.push_back(std::move(*text));
    } else if (c == '`' && has_backticks()) {
      const auto end = code_.find('`', at_ + 1);
      if (end == std::string_view::npos) {
        at_ = code_.size();
        return;
      }
      add_command(std::string(code_.substr(at_ + 1, end - at_ - 1)));
      at_ = end + 1;
    } else if (is_letter(c) || c == '_' || c == '$') {
      name();
    } else {
      ++at_;
    }
  }

  bool mentions(std::string_view what) const { return code_.find(what) != std::string_view::npos; }

  bool has_backticks() const {
    return language_ == Language::kPerl || language_ == Language::kRuby || language_ == Language::kPhp ||
           language_ == Language::kOther;
  }

  void name() {
    const std::size_t start = at_;
    ++at_;
    while (at_ < code_.size() && (is_name(code_[at_]) || (code_[at_] == '-' && language_ == Language::kOther))) ++at_;
    const std::string_view word = code_.substr(start, at_ - start);
    if (word == "fork" && loops_) out_.forks_forever = true;
    if (listed(kFetches, word)) out_.fetches = true;
    if (listed(kConnects, word)) out_.connects = true;
    if (listed(kStreams, word)) out_.hands_over_streams = true;
    if (word == "eval" || word == "instance_eval" || word == "Function" || word == "loadstring" || word == "assert" ||
        (word == "exec" && language_ == Language::kPython))
      out_.evaluates = true;
    if (word == "b64decode" || word == "decode" || word == "decode64" || word == "base64_decode" || word == "unpack" ||
        word == "pack" || word == "fromhex" || word == "atob" || word == "unhexlify" || word == "decode_base64" ||
        word == "gzinflate" || word == "str_rot13" || word == "chr")
      out_.decodes = true;
    if (listed(kWalks, word)) out_.walks = true;
    if (listed("write writelines writeFileSync writeFile writeSync fwrite syswrite truncate print binwrite", word))
      out_.writes = true;
    if (listed("environ ENV env", word)) whole_environment(word, start);
    if (listed(kRemoves, word) || listed(kDeletes, word)) out_.removes = true;
    if (listed(kRemoves, word) && language_ != Language::kOther && language_ != Language::kAwk) {
      const std::size_t here = at_;
      for (auto& text : arguments())
        if (out_.deletes.size() < kMostFacts) out_.deletes.push_back(std::move(text));
      at_ = here;
      return;
    }
    if (listed(kDeletes, word)) {
      for (auto& text : arguments())
        if (out_.deletes.size() < kMostFacts) out_.deletes.push_back(std::move(text));
      return;
    }
    if ((word == "qx" && language_ == Language::kPerl) || (word == "x" && start > 0 && code_[start - 1] == '%')) {
      quoted_by_any();
      return;
    }
    if (!listed(runs_, word) || ((word == "run" || word == "call") && !subprocess_)) return;
    if (language_ == Language::kPython && word == "spawn" && !terminal_) return;
    if (language_ == Language::kPerl && start > 0 && (code_[start - 1] == '$' || code_[start - 1] == '>')) return;
    if (language_ == Language::kNode && !child_process_ && word != "execSync" && word != "spawnSync") return;
    call(word);
  }

  // os.environ, process.env, %ENV as a whole, not one variable of it.
  void whole_environment(std::string_view word, std::size_t start) {
    if (word == "env" && !code_.substr(0, start).ends_with("process.")) return;
    if (word == "ENV" && language_ == Language::kPerl && (start == 0 || code_[start - 1] != '%')) return;
    const char next = at_ < code_.size() ? code_[at_] : '\0';
    const std::string_view rest = code_.substr(at_, 12);
    const bool one = next == '[' || next == '{' ||
                     (next == '.' && !rest.starts_with(".items") && !rest.starts_with(".copy") &&
                      !rest.starts_with(".to_") && !rest.starts_with(".inspect"));
    if (!one) out_.whole_environment = true;
  }

  void call(std::string_view word) {
    while (at_ < code_.size() && (code_[at_] == ' ' || code_[at_] == '\t')) ++at_;
    if (at_ < code_.size() && (is_name(code_[at_]) || code_[at_] == '=' || code_[at_] == '.' || code_[at_] == ':') &&
        language_ != Language::kOther && language_ != Language::kPerl && language_ != Language::kRuby)
      return;
    const std::size_t start = at_;
    auto texts = arguments();
    if (texts.empty() && language_ == Language::kOther && !called_) {
      // exec /bin/sh: a word without quotes.
      add_command(std::string(code_.substr(start, code_.substr(start, kArguments).find_first_of(";\n}"))));
      return;
    }
    if (texts.empty()) {
      const bool called = at_ < code_.size() && (language_ == Language::kPerl || language_ == Language::kRuby);
      if (called_ || called) out_.runs_unknown = true;
      return;
    }
    // execl("/bin/sh", "sh", "-c", "x"): the second is the name the program sees.
    if (word.starts_with("exec") && word.size() > 4 && word[4] == 'l' && texts.size() > 1)
      texts.erase(texts.begin() + 1);
    std::string line;
    if (texts.size() == 1) {
      line = std::move(texts[0]);
    } else {
      for (const std::string& text : texts) line += (line.empty() ? "" : " ") + text::shell_word(text);
    }
    add_command(std::move(line));
  }

  // The literals between here and the end of the call.
  std::vector<std::string> arguments() {
    std::vector<std::string> out;
    const std::size_t stop = std::min(code_.size(), at_ + kArguments);
    int open = 0;
    called_ = false;
    while (at_ < stop) {
      const char c = code_[at_];
      if (c == '"' || c == '\'' || (c == '`' && language_ == Language::kOther)) {
        if (auto text = literal()) out.push_back(std::move(*text));
        if (out.size() >= kMostFacts) return out;
        continue;
      }
      if (c == '(' || c == '[') {
        called_ = true;
        ++open;
      }
      if ((c == ')' || c == ']') && --open <= 0) {
        ++at_;
        return out;
      }
      if (c == ';' || c == '\n' || c == '}' || (c == '{' && !out.empty())) return out;
      ++at_;
    }
    return out;
  }

  std::optional<std::string> literal() {
    const char quote = code_[at_++];
    std::string out;
    while (at_ < code_.size() && code_[at_] != quote) {
      if (code_[at_] == '\\' && at_ + 1 < code_.size()) ++at_;
      out += code_[at_++];
    }
    if (at_ >= code_.size()) return out.empty() ? std::nullopt : std::optional(out);
    ++at_;
    return out;
  }

  void quoted_by_any() {
    if (at_ >= code_.size()) return;
    const char open = code_[at_];
    const char close = open == '(' ? ')' : open == '{' ? '}' : open == '[' ? ']' : open;
    const auto end = code_.find(close, at_ + 1);
    if (end == std::string_view::npos) {
      at_ = code_.size();
      return;
    }
    add_command(std::string(code_.substr(at_ + 1, end - at_ - 1)));
    at_ = end + 1;
  }

  // print | "cmd" and "cmd" | getline.
  void awk_pipe(const std::string& text, std::size_t start) {
    std::size_t before = start;
    while (before > 0 && (code_[before - 1] == ' ' || code_[before - 1] == '&')) --before;
    std::size_t after = at_;
    while (after < code_.size() && code_[after] == ' ') ++after;
    const bool to = before > 0 && code_[before - 1] == '|' && (before < 2 || code_[before - 2] != '|');
    const bool from = after + 1 < code_.size() && code_[after] == '|' && code_[after + 1] != '|' &&
                      code_.substr(after, 12).find("getline") != std::string_view::npos;
    if (to || from) add_command(text);
  }

  void add_command(std::string line) {
    if (out_.commands.size() < kMostFacts) out_.commands.push_back(std::move(line));
  }

  // Programs that take a line for a shell: "!sh", ":!sh", "shell sh", "\! sh", ".shell sh", ":sh".
  void lines() {
    for (std::size_t at = 0; at < code_.size();) {
      const std::size_t end = std::min(code_.find('\n', at), code_.size());
      std::string_view line = code_.substr(at, end - at);
      at = end + 1;
      // ":set shell=x|:shell": two commands in a line.
      if (const auto bar = line.find("|:"); language_ == Language::kVim && bar != std::string_view::npos) {
        at -= line.size() - bar;
        line = line.substr(0, bar);
      }
      line.remove_prefix(std::min(line.find_first_not_of(" \t:\\"), line.size()));
      for (const std::string_view word : {"!", "shell ", ".shell ", ".system ", "r !", "w !", "r!", "platform shell ",
                                          "pipe ", "make ", "sh ", "terminal ", "term "}) {
        if (!line.starts_with(word)) continue;
        line.remove_prefix(word.size());
        line.remove_prefix(std::min(line.find_first_not_of(" \t!"), line.size()));
        add_command(line.empty() ? "/bin/sh" : std::string(line));
        break;
      }
      if (line == "shell" || line == "sh" || line == "terminal" || line == "term" || line == "!")
        add_command("/bin/sh");
      nested_language(line);
    }
  }

  void nested_language(std::string_view line) {
    for (const auto& [word, language] : {std::pair<std::string_view, Language>{"py", Language::kPython},
                                         {"lua", Language::kLua},
                                         {"perl", Language::kPerl},
                                         {"ruby", Language::kRuby}})
      if (line.starts_with(word) && language_ != language) {
        CodeFacts inner = scan_code(line, language);
        for (auto& each : inner.commands) add_command(std::move(each));
        out_.runs_unknown = out_.runs_unknown || inner.runs_unknown;
      }
  }

  // "1e COMMAND", "e", and "s/x/y/e".
  void sed() {
    for (std::size_t at = 0; at < code_.size();) {
      while (at < code_.size() && std::string_view(" \t\n;{}0123456789,$!~+").find(code_[at]) != std::string_view::npos)
        ++at;
      if (at >= code_.size()) return;
      const char c = code_[at];
      if (c == '/') {
        at = skip_part(at + 1, '/');
      } else if (c == 'e') {
        const std::size_t end = std::min(code_.find('\n', at), code_.size());
        std::string_view rest = code_.substr(at + 1, end - at - 1);
        if (rest.empty() || rest[0] == ' ' || rest[0] == ';' || rest[0] == '}') {
          rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
          if (rest.empty())
            out_.runs_unknown = true;
          else
            add_command(std::string(rest));
        }
        return;
      } else if ((c == 's' || c == 'y') && at + 1 < code_.size()) {
        const char by = code_[at + 1];
        at = skip_part(skip_part(at + 2, by), by);
        while (at < code_.size() && (is_letter(code_[at]) || is_digit(code_[at]))) {
          if (code_[at] == 'e' && c == 's') out_.runs_unknown = true;
          if (code_[at] == 'w') return;
          ++at;
        }
      } else {
        // Other commands end with the line or a ";"; a, i, c, r and w take the rest of the line.
        const bool rest = std::string_view("aicrwRW").find(c) != std::string_view::npos;
        at = std::min(code_.find_first_of(rest ? "\n" : "\n;}", at + 1), code_.size());
      }
    }
  }

  std::size_t skip_part(std::size_t at, char by) const {
    for (; at < code_.size() && code_[at] != by; ++at)
      if (code_[at] == '\\') ++at;
    return at + 1;
  }

  std::string_view code_;
  Language language_;
  std::string_view runs_;
  std::size_t at_ = 0;
  bool subprocess_ = false;
  bool terminal_ = false;
  bool child_process_ = false;
  bool loops_ = false;
  bool called_ = false;
  CodeFacts out_;
};

}  // namespace

CodeFacts scan_code(std::string_view code, Language language) { return Scan(code, language).run(); }

bool destroys_data(std::string_view sql) {
  for (const std::string_view words :
       {"drop database", "drop table",    "drop schema",  "drop user",  "drop role",    "drop view",     "drop index",
        "truncate ",     "xp_cmdshell",   "from program", "to program", "into outfile", "into dumpfile", "load_file(",
        "drop column",   "drop keyspace", "drop owned",   "lo_export",  "sys_exec",     "drop if"})
    if (has_any_case(sql, words)) return true;
  for (std::size_t at = 0; at < sql.size();) {
    const std::size_t end = std::min(sql.find(';', at), sql.size());
    const std::string_view one = sql.substr(at, end - at);
    at = end + 1;
    if ((has_any_case(one, "delete from") || (has_any_case(one, "update ") && has_any_case(one, " set "))) &&
        (!has_any_case(one, "where") || has_any_case(one, "where 1=1") || has_any_case(one, "where true")))
      return true;
  }
  return false;
}

}  // namespace pinfold::advice
