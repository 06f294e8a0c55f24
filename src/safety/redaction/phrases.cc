// phrases.cc: secrets after flags, tags, calls and sentences.
// Invariant: without an assignment sign the value itself must look like a secret, or the program must be known.
// Not here: "=" and ":" (assignments.cc).
#include "base/encode.h"
#include "safety/redaction/assignments.h"
#include "safety/redaction/names_before.h"
#include "safety/redaction/secret_names.h"
#include "safety/redaction/value_text.h"
#include "safety/redaction/values.h"

namespace pinfold::redaction {
namespace {

using std::string_view;

constexpr std::size_t kWindow = 512;

const Rule& rule_for(NameKind kind) {
  return kind == NameKind::kPassword || kind == NameKind::kShort ? kPasswordRule : kGenericRule;
}

bool is_telling(string_view value) {
  return any_of(value, kDigit) || is_drawn(value) || value.find_first_of("!@#$%^&*?") != string_view::npos;
}

OptionalMatch quoted_value(const Spot& spot, std::size_t at, NameKind kind, bool telling) {
  const auto quoted = quoted_text(spot.ahead.substr(0, kWindow), at);
  if (!quoted) return std::nullopt;
  const string_view value = spot.ahead.substr(quoted->begin, quoted->end - quoted->begin);
  if (is_known_elsewhere(spot.from(quoted->begin), value) || !is_quoted_secret(kind, value)) return std::nullopt;
  if (telling && !is_telling(value)) return std::nullopt;
  return found(rule_for(kind), quoted->begin, quoted->end);
}

// A word without quotes, without the punctuation of the sentence around it.
string_view word_from(string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && end < kWindow && !is(text[end], kSpace | kQuote)) ++end;
  while (end > at && string_view(".,;:?)>\\]").find(text[end - 1]) != string_view::npos) --end;
  return text.substr(at, end - at);
}

OptionalMatch word_value(const Spot& spot, std::size_t at, NameKind kind, UnquotedContext where) {
  const string_view value = word_from(spot.ahead, at);
  if (value.empty() || value[0] == '-' || is_known_elsewhere(spot.from(at), value) ||
      !is_bare_secret(kind, value, where))
    return std::nullopt;
  return found(rule_for(kind), at, at + value.size());
}

// Known programs: the value of this flag is a password, or USER:PASSWORD.
struct ProgramFlag {
  string_view program;
  char flag;
  bool after_colon;  // USER:PASSWORD
  bool apart;        // in the next word; otherwise joined: -pPASSWORD
};
constexpr ProgramFlag kProgramFlags[] = {
    {"curl", 'u', true, true},          {"wget", 'u', true, true},        {"http", 'a', true, true},
    {"mysql", 'p', false, false},       {"mysqldump", 'p', false, false}, {"mariadb", 'p', false, false},
    {"mysqladmin", 'p', false, false},  {"sshpass", 'p', false, true},    {"redis-cli", 'a', false, true},
    {"ldapsearch", 'w', false, true},   {"ldapadd", 'w', false, true},    {"sqlcmd", 'P', false, true},
    {"docker login", 'p', false, true}, {"mongo", 'p', false, true},      {"mongodump", 'p', false, true},
    {"az login", 'p', false, true},     {"bcp", 'P', false, true},        {"podman login", 'p', false, true},
    {"oc login", 'p', false, true},     {"cf login", 'p', false, true},   {"sshpass", 'p', false, false},
    {"psexec", 'p', false, true},       {"PSEXEC", 'p', false, true},     {"PsExec", 'p', false, true},
    {"zip", 'P', false, true},          {"unzip", 'P', false, true},      {"7z", 'p', false, false},
    {"7za", 'p', false, false},         {"7zr", 'p', false, false},       {"rar", 'p', false, false},
    {"unrar", 'p', false, false},       {"openssl", 'k', false, true},    {"openssl", 'K', false, true}};

OptionalMatch short_flag(const Spot& spot) {
  const string_view text = spot.ahead;
  const string_view line = spot.line();
  for (const ProgramFlag& one : kProgramFlags) {
    if (text[1] != one.flag) continue;
    const std::size_t program = line.rfind(one.program);
    if (program == string_view::npos || (program > 0 && is(line[program - 1], kAlnum)) ||
        is(byte_at(line, program + one.program.size()), kAlnum))
      continue;
    std::size_t at = 2 + run_of(text, 2, kBlank);
    if ((at == 2) == one.apart) continue;
    const bool quoted = is(byte_at(text, at), kQuote);
    std::size_t end = at + 1;
    if (quoted) {
      end = std::min(text.find(text[at], at + 1), text.size());
      ++at;
    } else {
      while (end < text.size() && !is(text[end], kSpace | kQuote)) ++end;
    }
    if (one.after_colon) {
      const std::size_t colon = text.substr(0, end).find(':', at);
      if (colon == string_view::npos) continue;
      at = colon + 1;
    }
    const string_view value = text.substr(std::min(at, end), end - std::min(at, end));
    if (value.empty() || value[0] == '-' || is_stand_in(value)) continue;
    return found(kPasswordRule, at, end);
  }
  return std::nullopt;
}

// "curl --user ada:secret"
OptionalMatch after_user(const Spot& spot, std::size_t at) {
  at += run_of(spot.ahead, at, kBlank | kEqual | kQuote);
  const string_view pair = word_from(spot.ahead, at);
  const std::size_t colon = pair.find(':');
  if (spot.line().find("curl") == string_view::npos || colon == string_view::npos ||
      is_stand_in(pair.substr(colon + 1)))
    return std::nullopt;
  return found(kPasswordRule, at + colon + 1, at + pair.size());
}

// Calls whose argument of this number is a secret.
struct Call {
  string_view name;  // in small letters
  int argument;
  NameKind kind;
};
constexpr Call kCalls[] = {{"networkcredential", 2, NameKind::kPassword},
                           {"directoryentry", 3, NameKind::kPassword},
                           {"httpbasicauth", 2, NameKind::kPassword},
                           {"basicauth", 2, NameKind::kPassword},
                           {"basic_auth", 2, NameKind::kPassword},
                           {"setbasicauth", 2, NameKind::kPassword},
                           {"passwordauthentication", 2, NameKind::kPassword},
                           {"usernamepasswordcredentials", 2, NameKind::kPassword},
                           {"login", 2, NameKind::kPassword},
                           {"auth", 2, NameKind::kPassword},
                           {"authenticate", 2, NameKind::kPassword},
                           {"sign", 2, NameKind::kKey},
                           {"createhmac", 2, NameKind::kKey},
                           {"createcipheriv", 2, NameKind::kKey},
                           {"getconnection", 3, NameKind::kPassword},
                           {"basicawscredentials", 2, NameKind::kKey},
                           {"mysqli_connect", 3, NameKind::kPassword},
                           {"mysql_connect", 3, NameKind::kPassword},
                           {"mysqli", 3, NameKind::kPassword},
                           {"pdo", 3, NameKind::kPassword},
                           {"smtplib", 2, NameKind::kPassword},
                           {"verify", 2, NameKind::kKey}};
constexpr string_view kAsking[] = {"get",   "read",  "input",    "prompt",  "ask",     "find",     "check", "is",
                                   "has",   "query", "by",       "fetch",   "load",    "lookup",   "env",   "label",
                                   "text",  "log",   "validate", "verify",  "require", "compare",  "match", "expect",
                                   "parse", "hash",  "encode",   "decrypt", "encrypt", "generate", "create"};

std::size_t argument_at(string_view text, int wanted) {
  std::size_t at = 1;
  for (int i = 1; i < wanted; ++i) {
    if (const auto quoted = quoted_text(text, at + run_of(text, at, kSpace))) at = quoted->end;
    at = text.find_first_of(",;\n(){}", at);
    if (at == string_view::npos || text[at] != ',') return string_view::npos;
    ++at;
  }
  return at + run_of(text, at, kSpace);
}

}  // namespace

OptionalMatch find_tagged(const Spot& spot) {
  constexpr std::size_t kLongestTag = 160;
  string_view tag = spot.line();
  if (tag.size() > kLongestTag) tag.remove_prefix(tag.size() - kLongestTag);
  const std::size_t open = tag.rfind('<');
  if (open == string_view::npos || byte_at(tag, open + 1) == '/' || tag.ends_with('/')) return std::nullopt;
  tag.remove_prefix(open + 1);
  std::size_t length = 0;
  while (length < tag.size() && (is(tag[length], kName) || tag[length] == '.' || tag[length] == ':')) ++length;
  NameKind kind = name_kind(tag.substr(0, length));
  if (same_letters(tag.substr(0, length), "pass")) kind = NameKind::kPassword;
  if (kind == NameKind::kOrdinary) {
    const std::size_t name = tag.find("name=");
    if (name != string_view::npos && is(byte_at(tag, name + 5), kQuote)) {
      const std::size_t end = tag.find(tag[name + 5], name + 6);
      if (end != string_view::npos) kind = name_kind(tag.substr(name + 6, end - name - 6));
    }
  }
  if (kind == NameKind::kOrdinary || kind == NameKind::kHeader) return std::nullopt;
  const std::size_t close = spot.ahead.substr(0, kWindow).find('<');
  if (close == string_view::npos || byte_at(spot.ahead, close + 1) != '/') return std::nullopt;
  const std::size_t begin = 1 + run_of(spot.ahead, 1, kSpace);  // it may stand on a line of its own
  std::size_t end = close;
  while (end > begin && is(spot.ahead[end - 1], kSpace)) --end;
  if (begin >= end) return std::nullopt;
  const string_view value = spot.ahead.substr(begin, end - begin);
  const bool words = !any_of(value, kDigit) && (has_capital_start(value) || value.find(' ') != string_view::npos);
  if (words || is_known_elsewhere(spot.from(begin), value) || !is_quoted_secret(kind, value)) return std::nullopt;
  return found(rule_for(kind), begin, end);
}

OptionalMatch find_called(const Spot& spot) {
  const std::string_view behind =
      spot.before() == '=' ? without_blanks(spot.behind.substr(0, spot.behind.size() - 1)) : spot.behind;
  const std::size_t length = run_back(behind, kName);
  if (length == 0 || length > 64) return std::nullopt;
  const string_view name = behind.substr(behind.size() - length);
  const std::string small = lowered(name);
  for (const Call& call : kCalls) {
    if (small != call.name) continue;
    const std::size_t at = argument_at(spot.ahead.substr(0, kWindow), call.argument);
    return at == string_view::npos ? std::nullopt : quoted_value(spot, at, call.kind, true);
  }
  const std::size_t at = 1 + run_of(spot.ahead, 1, kBlank);
  if (!is(byte_at(spot.ahead, at), kQuote) || spot.before() == '=') return std::nullopt;
  for (const string_view asking : kAsking)
    if (small.starts_with(asking)) return std::nullopt;
  const NameKind kind = name_kind(name);
  if (kind == NameKind::kOrdinary || kind == NameKind::kHeader || kind == NameKind::kFaint) return std::nullopt;
  // "password('Enter it', …)" asks; the value of a call is its only argument.
  const auto quoted = quoted_text(spot.ahead.substr(0, kWindow), at);
  if (!quoted || byte_at(spot.ahead, quoted->end + 1) == ',') return std::nullopt;
  return quoted_value(spot, at, kind, true);
}

OptionalMatch find_paired(const Spot& spot) {
  const std::size_t at = 1 + run_of(spot.ahead, 1, kSpace);
  if (!is(spot.before(), kQuote) || !is(byte_at(spot.ahead, at), kQuote)) return std::nullopt;
  const NameBefore name = name_before(spot.behind);
  const NameKind kind = name_kind(name.name);
  if (kind == NameKind::kOrdinary || kind == NameKind::kHeader) return std::nullopt;
  OptionalMatch match = quoted_value(spot, at, kind, true);
  if (!match) return match;
  // A list of names has names after names: 'auth_password', 'auth_pubkey_2'.
  const auto begin = static_cast<std::size_t>(match->begin);
  const string_view value = spot.ahead.substr(begin, static_cast<std::size_t>(match->end) - begin);
  const bool name_like = is_wordy(value) && value.find('_') != string_view::npos;
  return name_like ? std::nullopt : match;
}

OptionalMatch find_flagged(const Spot& spot) {
  const char before = spot.before();
  if (before != '\0' && !is(before, kSpace | kQuote)) return std::nullopt;
  const string_view text = spot.ahead;
  if (is(byte_at(text, 1), kLetter) &&
      (text.size() < 4 || !is(text[2], kLetter) || !is(text[3], kLetter) || text[1] == 'p' || text[1] == 'P'))
    if (OptionalMatch match = short_flag(spot)) return match;
  const std::size_t dashes = byte_at(text, 1) == '-' ? 2 : 1;
  const std::size_t length = run_of(text, dashes, kName);
  if (length < 3 || !is(byte_at(text, dashes), kLetter)) return std::nullopt;
  const string_view name = text.substr(dashes, length);
  if (name == "user" || name == "proxy-user") return after_user(spot, dashes + length);
  NameKind kind = name_kind(name);
  if (same_letters(name, "pass") || same_letters(name, "passin") || same_letters(name, "passout"))
    kind = NameKind::kPassword;
  if (kind == NameKind::kOrdinary || kind == NameKind::kHeader || kind == NameKind::kFaint) return std::nullopt;
  std::size_t at = dashes + length + run_of(text, dashes + length, kBlank);
  if (at == dashes + length || is(byte_at(text, at), kNewline)) return std::nullopt;
  if (is(byte_at(text, at), kQuote)) return quoted_value(spot, at, kind, false);
  if (starts_like(text.substr(at), "pass:")) {
    const string_view known = word_from(text, at + 5);
    return is_stand_in(known) ? std::nullopt : found(kPasswordRule, at + 5, at + 5 + known.size());
  }
  const string_view value = word_from(text, at);
  if (kind == NameKind::kPassword && value.size() >= 4 && value[0] != '-' && is_telling(value) && !is_stand_in(value) &&
      !is_known_elsewhere(spot.from(at), value))
    return found(kPasswordRule, at, at + value.size());
  return word_value(spot, at, kind, UnquotedContext::kInside);
}

namespace {

// "Bearer abc.def": a word of prose has no digit and is shorter.
OptionalMatch after_scheme(const Spot& spot, std::size_t at) {
  constexpr std::size_t kLeast = 12;
  constexpr std::size_t kSurely = 32;
  const std::size_t length = run_of(spot.ahead, at, kToken);
  const string_view token = spot.ahead.substr(at, length);
  if (length < kLeast || is_stand_in(token) || is_known_elsewhere(spot.from(at), token)) return std::nullopt;
  if (is_wordy(token) || (length < kSurely && !any_of(token, kDigit))) return std::nullopt;
  return found(kHeaderRule, at, at + length, at + length == spot.ahead.size() ? Tail::kRun : Tail::kNone);
}

// "Basic dXNlcjpwYXNz" is USER:PASSWORD in base64.
OptionalMatch after_basic(const Spot& spot, std::size_t at) {
  const std::size_t length = run_of(spot.ahead, at, kBase64 | kEqual);
  if (length < 6) return std::nullopt;
  std::string padded(spot.ahead.substr(at, length));
  while (padded.ends_with('=')) padded.pop_back();
  while (padded.size() % 4 != 0) padded += '=';
  const auto text = from_base64(padded);
  if (!text || text->find(':') == std::string::npos) return std::nullopt;
  if (std::any_of(text->begin(), text->end(), [](char c) { return c < ' ' || c == 0x7f; })) return std::nullopt;
  return found(kHeaderRule, at, at + length);
}

// "the password is x", "my api key is: x"
OptionalMatch after_is(const Spot& spot, std::size_t at) {
  string_view before = without_blanks(spot.line());
  const NameBefore last = name_before(before);
  NameKind kind = name_kind(last.name);
  if (same_letters(last.name, "key")) kind = name_kind(std::string(name_before(last.line).name) + "_key");
  // "the password for user 'ada' is 'x'", "the default password is 'x'"
  const std::string line = lowered(before);
  const bool owned = line.find("password for ") != std::string::npos;
  const bool defaulted = owned || line.find("default password") != std::string::npos;
  if (owned && is(byte_at(spot.ahead, at), kQuote)) kind = NameKind::kPassword;
  if (kind == NameKind::kOrdinary || kind == NameKind::kFaint || kind == NameKind::kHeader) return std::nullopt;
  if (byte_at(spot.ahead, at) == ':') at += 1 + run_of(spot.ahead, at + 1, kBlank);
  if (is(byte_at(spot.ahead, at), kQuote)) return quoted_value(spot, at, kind, !defaulted);
  const string_view value = word_from(spot.ahead, at);
  if (value.ends_with('!') && all_of(value.substr(0, value.size() - 1), kLower)) return std::nullopt;  // prose
  if (kind == NameKind::kPassword && value.size() >= 6 && count_of(value, kLetter) >= 3 && any_of(value, kDigit) &&
      (value.find('-') == string_view::npos || any_of(value, kUpper)) && !is_stand_in(value) &&
      is_quoted_secret(kind, value))
    return found(kPasswordRule, at, at + value.size());
  return word_value(spot, at, kind, UnquotedContext::kInside);
}

}  // namespace

OptionalMatch find_stated(const Spot& spot) {
  const string_view text = spot.ahead;
  const std::size_t length = run_of(text, 0, kAlnum);
  const std::size_t at = length + run_of(text, length, kBlank);
  if (at == length || at >= text.size() || length > 12) return std::nullopt;
  // "is" is everywhere; the words that may be before it end like this.
  if (length <= 3 && same_letters(text.substr(0, 2), "is") &&
      string_view("dDyYtTnNeE\"'").find(byte_at(without_blanks(spot.behind), without_blanks(spot.behind).size() - 1)) ==
          string_view::npos)
    return std::nullopt;
  const std::string word = lowered(text.substr(0, length));
  if (word == "echo" || word == "printf" || word == "htpasswd") return find_piped(spot, word, at);
  if (word == "bearer") return after_scheme(spot, at);
  if (word == "basic") return after_basic(spot, at);
  if (word == "is" || word == "was") return after_is(spot, at);
  if (word == "identified" && starts_like(text.substr(at), "by ") && byte_at(text, at + 3) != '`')
    return quoted_value(spot, at + 3, NameKind::kPassword, false);
  if (word == "requirepass" || word == "masterauth") {
    const string_view value = word_from(text, at);
    return is_stand_in(value) ? std::nullopt : found(kPasswordRule, at, at + value.size());
  }
  if (word == "securestring") return quoted_value(spot, at, NameKind::kPassword, false);
  if (word == "env" && without_blanks(spot.line()).empty()) {  // a Dockerfile: ENV NAME value
    const std::size_t name = run_of(text, at, kName);
    const std::size_t value = at + name + run_of(text, at + name, kBlank);
    return value == at + name ? std::nullopt
                              : word_value(spot, value, name_kind(text.substr(at, name)), UnquotedContext::kLine);
  }
  if (is(text[at], kQuote) && without_blanks(spot.line()).empty() &&
      (word == "password" || word == "passwd" || word == "passphrase" || word == "apikey")) {
    // A line of settings without a sign: password "x";
    const auto quoted = quoted_text(text.substr(0, kWindow), at);
    const char next = quoted ? byte_at(text, quoted->end + 1) : ',';
    if (next == '\0' || next == ';' || is(next, kSpace))
      return quoted_value(spot, at, word == "apikey" ? NameKind::kKey : NameKind::kPassword, false);
  }
  if (word != "password" && word != "passwd") return std::nullopt;
  const std::string line = lowered(spot.line());
  if (is(text[at], kQuote)) {
    const bool sql = line.find("user ") != std::string::npos || line.find("role ") != std::string::npos;
    return sql || line.find("with ") != std::string::npos ? quoted_value(spot, at, NameKind::kPassword, false)
                                                          : std::nullopt;
  }
  const string_view next = word_from(text, at);
  const bool said = line.ends_with("and ") || line.ends_with("with ") || line.find("user ") != std::string::npos;
  if (said && next.size() >= 6 && all_of(next, kAlnum) && any_of(next, kDigit) && any_of(next, kLetter) &&
      !is_stand_in(next))
    return found(kPasswordRule, at, at + next.size());
  // .netrc
  const std::string near =
      lowered(spot.behind.substr(spot.behind.size() - std::min<std::size_t>(spot.behind.size(), 120)));
  if (near.find("login ") == std::string::npos || near.find("machine ") == std::string::npos) return std::nullopt;
  const string_view value = word_from(text, at);
  return is_stand_in(value) ? std::nullopt : found(kPasswordRule, at, at + value.size());
}

}  // namespace pinfold::redaction
