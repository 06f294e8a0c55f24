// command_text.cc: one pass over the text, from name to name; then the rules of a Redactor.
// Invariant: linear in the text; if the end of a value is uncertain, it redacts more, not less.
// Not here: the names of secrets (secret_names.cc), the other rules (redactor.cc).
#include "safety/redaction/command_text.h"

#include <algorithm>

#include "safety/redaction/chars.h"
#include "safety/redaction/redactor.h"
#include "safety/redaction/secret_names.h"

namespace pinfold::redaction {
namespace {

using std::string_view;

bool is_name_char(char c) { return is(c, kName); }
bool is_space(char c) { return is(c, kSpace); }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_plain(NameKind name) {
  return name == NameKind::kOrdinary || name == NameKind::kFaint || name == NameKind::kShort;
}
bool is_env_flag(string_view name) { return name == "--env"; }

// "$NAME" and "${NAME}" name a secret and are none.
bool is_reference(string_view value) {
  if (!value.starts_with('$')) return false;
  value.remove_prefix(1);
  if (value.starts_with('{') && value.ends_with('}')) value = value.substr(1, value.size() - 2);
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) { return is_name_char(c) && c != '-'; });
}

class Scan {
 public:
  Scan(string_view text, TextKind kind) : text_(text), kind_(kind) { out_.reserve(text.size()); }

  std::string result() && {
    while (at_ < text_.size()) {
      if (is_name_char(text_[at_]))
        name();
      else if (text_.substr(at_).starts_with("://"))
        address();
      else
        out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  std::size_t past_blanks(std::size_t at) const {
    while (is(peek(at), kBlank)) ++at;
    return at;
  }
  void copy_to(std::size_t end) {
    out_.append(text_.substr(at_, end - at_));
    at_ = end;
  }
  void redact_to(std::size_t end) {
    if (end > at_) out_ += kRedacted;
    at_ = end;
  }

  // A run of letters, digits, "_" and "-": a key by its shape, a name before its value, or just a word.
  void name() {
    std::size_t end = at_;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    const string_view word = text_.substr(at_, end - at_);
    copy_to(end);
    if (same_letters(word, "bearer")) return bearer();
    assigned(word);
  }

  // "Bearer abc.def": a word of prose has no digit and is shorter.
  void bearer() {
    constexpr std::size_t kLeast = 8;
    constexpr std::size_t kSurely = 24;
    const std::size_t begin = past_blanks(at_);
    std::size_t end = begin;
    while (end < text_.size() && is(text_[end], kToken)) ++end;
    const string_view token = text_.substr(begin, end - begin);
    if (begin == at_ || token.size() < kLeast) return;
    if (token.size() < kSurely && !any_of(token, kDigit)) return;
    copy_to(begin);
    redact_to(end);
  }

  // The separator after a name: `=VALUE`, `: VALUE`, `": "VALUE"`, and in a command ` VALUE`.
  void assigned(string_view word) {
    std::size_t next = at_;
    const bool escaped = peek(next) == '\\' && is_quote(peek(next + 1));
    if (escaped) ++next;
    const bool quoted = is_quote(peek(next));
    if (quoted) ++next;
    const std::size_t mark = past_blanks(next);
    const char sign = peek(mark);
    const bool flag = kind_ == TextKind::kCommand && word.starts_with('-') && word.size() > 2 && mark > at_ && !quoted;
    if (is_env_flag(word) && (flag || sign == '=')) return environment(sign == '=' ? mark + 1 : mark);
    if (sign == '=' || sign == ':') {
      if (peek(mark + 1) == sign) return;  // "==" compares, "::" is a scope
      const NameKind name = name_kind(word);
      if (is_plain(name) || (name == NameKind::kWeak && sign == ':' && !quoted)) return;
      // `PASSWORD= command` sets nothing: there the blank ends the value.
      const bool spaced = sign == ':' || mark > next || quoted;
      copy_to(spaced ? past_blanks(mark + 1) : mark + 1);
      value(name);
    } else if (flag && sign != '-' && sign != '\0' && !is_plain(name_kind(word))) {
      copy_to(mark);
      value(NameKind::kKey);
    }
  }

  // `--env NAME=VALUE`: redacted for any name.
  void environment(std::size_t begin) {
    copy_to(begin);
    std::size_t end = at_;
    while (is_name_char(peek(end))) ++end;
    if (peek(end) != '=') return;
    copy_to(end + 1);
    redact_to(end_of_word(at_));
  }

  void value(NameKind name) {
    std::size_t end = at_;
    if (name == NameKind::kHeader && !is_quote(peek(at_)) && peek(at_) != '\\') {
      while (end < text_.size() && text_[end] != '\n' && !is_quote(text_[end])) ++end;
      return redact_to(end);
    }
    const bool escaped = peek(at_) == '\\' && is_quote(peek(at_ + 1));
    if (escaped || is_quote(peek(at_))) {
      const std::string close(text_.substr(at_, escaped ? 2 : 1));
      copy_to(at_ + close.size());
      return redact_to(end_of_quoted(close));
    }
    end = end_of_word(at_);
    if (is_reference(text_.substr(at_, end - at_))) return copy_to(end);
    redact_to(end);
  }

  std::size_t end_of_quoted(string_view close) const {
    for (std::size_t at = at_; at < text_.size(); ++at) {
      if (text_.substr(at).starts_with(close)) return at;
      if (text_[at] == '\\') ++at;
    }
    return text_.size();
  }

  // As a shell would end it: quotes hold a word together.
  std::size_t end_of_word(std::size_t at) const {
    for (; at < text_.size() && !is_space(text_[at]); ++at) {
      const char c = text_[at];
      if (c == ';' || c == '&' || c == '|' || c == ')' || c == '<' || c == '>') break;
      if (c == '\\') ++at;
      if (!is_quote(c)) continue;
      const std::size_t close = text_.find(c, at + 1);
      if (close == string_view::npos) return text_.size();
      at = close;
    }
    return std::min(at, text_.size());
  }

  // "://ada:secret@host": the password is redacted. "https://token@host": a lone name is often the token itself.
  void address() {
    const bool web = out_.ends_with("http") || out_.ends_with("https");
    copy_to(at_ + 3);
    const std::size_t end = std::min(text_.find_first_of("/?# \t\r\n\"'<>", at_), text_.size());
    const string_view authority = text_.substr(at_, end - at_);
    const std::size_t host = authority.rfind('@');
    if (host == string_view::npos) return;
    const std::size_t colon = authority.substr(0, host).find(':');
    if (colon == string_view::npos) {
      if (web) redact_to(at_ + host);
      return copy_to(at_ + 1);
    }
    const std::size_t begin = at_;
    copy_to(begin + colon + 1);
    redact_to(begin + host);
  }

  string_view text_;
  TextKind kind_;
  std::size_t at_ = 0;
  std::string out_;
};

// Flags of common programs: the value is USER:PASSWORD, or the password itself; joined: `-pPASSWORD`.
enum class CredentialForm { kUserAndPassword, kPassword };
struct ProgramFlag {
  string_view program;
  string_view flag;
  CredentialForm credential;
  bool apart;   // in the next word
  bool joined;  // in the same word
};
constexpr ProgramFlag kProgramFlags[] = {
    {"curl", "-u", CredentialForm::kUserAndPassword, true, true},
    {"curl", "--user", CredentialForm::kUserAndPassword, true, false},
    {"curl", "-U", CredentialForm::kUserAndPassword, true, true},
    {"curl", "--proxy-user", CredentialForm::kUserAndPassword, true, false},
    {"http", "-a", CredentialForm::kUserAndPassword, true, true},
    {"mariadb", "-p", CredentialForm::kPassword, false, true},
    {"mysql", "-p", CredentialForm::kPassword, false, true},
    {"mysqldump", "-p", CredentialForm::kPassword, false, true},
    {"openssl", "-pass", CredentialForm::kPassword, true, false},
    {"openssl", "-passin", CredentialForm::kPassword, true, false},
    {"openssl", "-passout", CredentialForm::kPassword, true, false},
    {"sshpass", "-p", CredentialForm::kPassword, true, true},
};

std::string without(CredentialForm credential, string_view value) {
  if (credential == CredentialForm::kPassword) return std::string(kRedacted);
  const std::size_t colon = value.find(':');
  return colon == string_view::npos ? std::string(value)
                                    : std::string(value.substr(0, colon + 1)) + std::string(kRedacted);
}

// "NAME=VALUE" or "--flag=VALUE": how long the name is, or 0.
std::size_t assignment(string_view word) {
  std::size_t end = 0;
  while (end < word.size() && is_name_char(word[end])) ++end;
  return end > 0 && end < word.size() && word[end] == '=' ? end : 0;
}

class Argv {
 public:
  explicit Argv(const std::vector<std::string>& argv) : argv_(argv) {
    if (argv.empty()) return;
    const string_view first = argv[0];
    program_ = first.substr(first.rfind('/') + 1);
  }

  std::vector<std::string> result() && {
    for (std::size_t i = 0; i < argv_.size(); ++i) {
      const string_view word = argv_[i];
      const bool more = i + 1 < argv_.size();
      if (const ProgramFlag* known = known_flag(word, more)) {
        const bool apart = word == known->flag;
        out_.push_back(apart ? std::string(word)
                             : std::string(known->flag) + without(known->credential, word.substr(known->flag.size())));
        if (apart) out_.push_back(without(known->credential, argv_[++i]));
      } else if (more && (is_env_flag(word) || word == "-e") && assignment(argv_[i + 1]) > 0) {
        out_.emplace_back(word);
        ++i;
        out_.push_back(argv_[i].substr(0, assignment(argv_[i]) + 1) + std::string(kRedacted));
      } else if (more && is_secret_flag(word) && !argv_[i + 1].starts_with('-')) {
        out_.emplace_back(word);
        out_.emplace_back(kRedacted);
        ++i;
      } else if (i > 0 && is_script_flag(argv_[i - 1])) {
        out_.push_back(redact(word, TextKind::kCommand));
      } else {
        out_.push_back(one(word));
      }
    }
    return std::move(out_);
  }

 private:
  const ProgramFlag* known_flag(string_view word, bool more) const {
    for (const ProgramFlag& one : kProgramFlags) {
      if (one.program != program_ || !word.starts_with(one.flag)) continue;
      if (word == one.flag ? one.apart && more : one.joined) return &one;
    }
    return nullptr;
  }

  static bool is_secret_flag(string_view word) {
    return word.size() > 2 && word[0] == '-' && std::all_of(word.begin(), word.end(), is_name_char) &&
           !is_plain(name_kind(word));
  }

  // "-c", "-lc": the next word is a shell command.
  static bool is_script_flag(string_view word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.ends_with('c');
  }

  static std::string one(string_view word) {
    // A word of argv: the value extends to its end, with any characters.
    if (const std::size_t end = assignment(word);
        end > 0 && end + 1 < word.size() && !is_plain(name_kind(word.substr(0, end))))
      return std::string(word.substr(0, end + 1)) + std::string(kRedacted);
    const bool command = std::any_of(word.begin(), word.end(), is_space);
    return redact(word, command ? TextKind::kCommand : TextKind::kProse);
  }

  const std::vector<std::string>& argv_;
  string_view program_;
  std::vector<std::string> out_;
};

}  // namespace

std::string redact(string_view text, TextKind kind) {
  return Redactor(Only::kSecrets).whole(Scan(text, kind).result());
}

std::vector<std::string> redact_argv(const std::vector<std::string>& argv) { return Argv(argv).result(); }

}  // namespace pinfold::redaction
