// assignments.cc: from an assignment sign, finds the name before it and the value after it.
// Invariant: a value with a more specific rule (a vendor's key, a key block, an address) is left to that rule. Not
// here: flags, tags, calls and prose (phrases.cc).
#include "safety/redaction/assignments.h"

#include "safety/redaction/names_before.h"
#include "safety/redaction/secret_names.h"
#include "safety/redaction/structures.h"
#include "safety/redaction/tokens.h"
#include "safety/redaction/value_text.h"
#include "safety/redaction/values.h"

namespace pinfold::redaction {

const Rule kPasswordRule{"password", Group::kSecret, "the value of a name that says password, passphrase, passwd…",
                         "db_password = \"«Sunny-Day-42»\"", "password = request.get(\"password\")"};
const Rule kGenericRule{"secret", Group::kSecret, "the value of a name that says secret, token, api key, credential…",
                        "api_key: \"«a8Fk2LmQ9zX4cV7bN1»\"", "api_key: \"<your-api-key>\""};
const Rule kHeaderRule{"authorization", Group::kSecret, "the value of an Authorization or Cookie header",
                       "Authorization: Bearer «a8Fk2LmQ9zX4cV7bN1»", "Authorization: Bearer <token>"};

namespace {

using std::string_view;

constexpr std::size_t kWindow = 512;

const Rule& rule_for(NameKind kind) {
  return kind == NameKind::kPassword || kind == NameKind::kShort ? kPasswordRule
         : kind == NameKind::kHeader                             ? kHeaderRule
                                                                 : kGenericRule;
}

// "${TOKEN:-": the rest is the default of an unset variable.
bool in_default(string_view behind) {
  const std::size_t name = run_back(behind, kName);
  return name > 0 && behind.substr(0, behind.size() - name).ends_with("${");
}

// The offset of the value, after "=", "==", "=>" or ":=". 0: this sign is not an assignment.
std::size_t past_sign(const Spot& spot, bool& compares) {
  const string_view text = spot.ahead;
  const char sign = text[0];
  const char next = byte_at(text, 1);
  if (is(spot.before(), kEqual) || spot.before() == '!' || spot.before() == '<' || spot.before() == '>' ||
      spot.before() == '~')
    return 0;
  if (sign == ':') {
    const std::size_t colons = text.starts_with(":::") ? 3 : next == ':' ? 2 : 1;  // "::=" and ":::=" of make
    if (spot.before() == ':' || text.starts_with("://")) return 0;
    if (byte_at(text, colons) == '=') return colons + 1;
    if (next == '-' && in_default(spot.behind)) return 2;
    return colons == 1 ? 1 : 0;
  }
  if (spot.before() == ':') return 0;  // ":=" was seen at its colon
  if (next == '~') return 0;
  if (next == '>') return 2;
  compares = next == '=';
  return compares ? (byte_at(text, 2) == '=' ? 3 : 2) : 1;
}

// `name: Type = value`, `var name string = value`, `name ||= value`: skips the type and the operator to find the name.
struct AssignedName {
  NameBefore name;
  NameKind kind = NameKind::kOrdinary;
};
AssignedName assigned_name(const Spot& spot) {
  string_view behind = spot.behind;
  while (!behind.empty() && spot.ahead[0] == '=' && string_view("|?+.&").find(behind.back()) != string_view::npos)
    behind.remove_suffix(1);
  const NameBefore out = name_before(behind);
  const NameKind kind = name_kind(out.name);
  if (spot.ahead[0] != '=' || out.quoted || kind != NameKind::kOrdinary) return {out, kind};
  string_view rest = without_blanks(out.line);
  while (!rest.empty() && string_view("&*?<[|").find(rest.back()) != string_view::npos)
    rest = without_blanks(rest.substr(0, rest.size() - 1));
  if (rest.size() < out.line.size() && is(byte_at(rest, rest.size() - 1), kName)) {  // `name: Final[str]`
    const NameBefore outer = name_before(rest);
    if (without_blanks(outer.line).ends_with(':')) rest = without_blanks(outer.line);
  }
  const bool typed = rest.ends_with(':') && !rest.ends_with("::");
  if (!typed && out.name != "string" && out.name != "byte" && out.name != "str") return {out, kind};
  const NameBefore named = name_before(typed ? rest.substr(0, rest.size() - 1) : rest);
  return {named, name_kind(named.name)};
}

// `key="ApiSecret" value="…"`, `name: DB_PASSWORD\n  value: …`: the name is in another attribute.
string_view name_of_neighbour(string_view behind) {
  constexpr std::size_t kFar = 120;
  if (behind.size() > kFar) behind.remove_prefix(behind.size() - kFar);
  for (const string_view word : {"name", "key", "Name", "Key"}) {
    const std::size_t at = behind.rfind(word);
    if (at == string_view::npos) continue;
    std::size_t begin = at + word.size();
    while (begin < behind.size() &&
           (is(behind[begin], kQuote | kBlank) || behind[begin] == '=' || behind[begin] == ':'))
      ++begin;
    if (begin == at + word.size()) continue;
    std::size_t end = begin;
    while (end < behind.size() && (is(behind[end], kName) || behind[end] == '.')) ++end;
    if (behind.substr(end).find_first_of("<>{}") == string_view::npos && end > begin)
      return behind.substr(begin, end - begin);
  }
  return {};
}

// Terraform: variable "db_password" { default = "…" }
string_view variable_before(string_view behind) {
  constexpr string_view kMark = "variable \"";
  const std::size_t at = behind.rfind(kMark);
  if (at == string_view::npos || behind.find('}', at) != string_view::npos) return {};
  const string_view rest = behind.substr(at + kMark.size());
  return rest.substr(0, run_of(rest, 0, kName));
}

// A line of settings begins with the name: after blanks, "export", "set", "ENV", "-".
bool begins_line(string_view line) {
  const std::size_t newline = line.rfind('\n');
  if (newline != string_view::npos) line.remove_prefix(newline + 1);
  line.remove_prefix(run_of(line, 0, kBlank));
  line = without_blanks(line);
  for (const string_view word : {"export", "set", "ENV", "ARG", "-", "declare -x", "setenv", "SET", "#", "+"})
    if (line == word) return true;
  return line.empty();
}

// `process.env.SECRET || "value"`, `ENV["SECRET"] or "value"`: where the value begins that is used without the
// variable.
std::size_t past_fallback(string_view text, std::size_t at) {
  constexpr std::size_t kFar = 100;
  const string_view line = text.substr(0, std::min(text.find('\n', at), at + kFar));
  if (!is(byte_at(line, at), kLetter)) return at;
  for (const string_view sign : {" || ", " ?? ", " or ", " ?: "}) {
    const std::size_t found = line.find(sign, at);
    if (found != string_view::npos && is(byte_at(line, found + sign.size()), kQuote)) return found + sign.size();
  }
  for (const string_view call : {"env(", "getenv(", "environ.get(", "fetch("}) {  // env('NAME', 'value')
    const std::size_t found = line.find(call, at);
    const std::size_t comma = found == string_view::npos ? found : line.find(", ", found);
    if (comma != string_view::npos && is(byte_at(line, comma - 1), kQuote) && is(byte_at(line, comma + 2), kQuote))
      return comma + 2;
  }
  return at;
}

// YAML: "!!binary x"; "|", ">-" and the value on the next line. JavaScript: the text on the next line.
std::size_t past_layout(string_view text, std::size_t at) {
  if (text.substr(std::min(at, text.size())).starts_with("!!")) {
    const std::size_t tag = run_of(text, at + 2, kLower);
    at += 2 + tag + run_of(text, at + 2 + tag, kBlank);
  }
  std::size_t next = at;
  const bool block = byte_at(text, next) == '|' || byte_at(text, next) == '>';
  if (block) next += byte_at(text, next + 1) == '-' || byte_at(text, next + 1) == '+' ? std::size_t{2} : std::size_t{1};
  if (byte_at(text, next) == '\r') ++next;
  if (byte_at(text, next) != '\n') return at;
  const std::size_t blanks = run_of(text, next + 1, kBlank);
  const std::size_t begin = next + 1 + blanks;
  if (blanks == 0 || begin >= text.size()) return at;
  if (block) return begin;
  // 'name': on the next line is another name; """ begins a docstring.
  if (text.substr(begin).starts_with("\"\"\"") || text.substr(begin).starts_with("'''")) return at;
  const auto quoted = quoted_text(text, begin);
  return quoted && byte_at(text, quoted->end + 1) != ':' ? begin : at;
}

OptionalMatch header_value(const Spot& spot, std::size_t begin) {
  const string_view text = spot.ahead;
  std::size_t at = begin + (is(byte_at(text, begin), kQuote) ? 1 : 0);
  for (const string_view scheme :
       {"bearer ", "basic ", "token ", "digest ", "apikey ", "api-key ", "ssws ", "splunk ", "negotiate "})
    if (starts_like(text.substr(at), scheme)) {
      at += scheme.size();
      break;
    }
  at += run_of(text, at, kBlank);
  std::size_t length = run_of(text, at, kToken);
  while (byte_at(text, at + length) == '%' && is(byte_at(text, at + length + 1), kHex))  // "s%3A…" of a cookie
    length += 1 + run_of(text, at + length + 1, kToken);
  const string_view token = text.substr(at, length);
  if (find_token(spot.from(at)) || find_web_token(spot.from(at)) || is_stand_in(token)) return std::nullopt;
  // A cookie is a list of pairs; its first value decides.
  const std::size_t equal = token.find('=');
  const string_view value =
      equal == string_view::npos || equal + 2 > token.size() || token.ends_with('=') ? token : token.substr(equal + 1);
  if (value.size() < 8 || is_wordy(value) || !is_bare_secret(NameKind::kKey, value, UnquotedContext::kLine))
    return std::nullopt;
  return found(kHeaderRule, at + (token.size() - value.size()), at + length,
               at + length == text.size() ? Tail::kRun : Tail::kNone);
}

// Kubernetes: a "kind: Secret" holds its values in base64 below "data:", under any name.
bool in_secret_manifest(const Spot& spot, const NameBefore& name) {
  constexpr std::size_t kLeast = 8;
  if (spot.ahead[0] != ':' || byte_at(spot.ahead, 1) != ' ' || name.line.empty() || !is(name.line.back(), kBlank))
    return false;
  const std::size_t length = run_of(spot.ahead, 2, kBase64 | kEqual);
  const char next = byte_at(spot.ahead, 2 + length);
  if (length < kLeast || length % 4 != 0 || (next != '\0' && !is(next, kNewline))) return false;
  const std::size_t data = spot.behind.rfind("\ndata:");
  return data != string_view::npos && spot.behind.substr(0, data).find("kind: Secret") != string_view::npos;
}

// "x&user=y", "x;Suffix=y": another pair begins there.
std::size_t end_of_pair(string_view line) {
  for (std::size_t at = line.find_first_of("&;"); at != string_view::npos; at = line.find_first_of("&;", at + 1)) {
    const std::size_t name = run_of(line, at + 1, kAlnum | kDash);
    if (name > 1 && is(line[at + 1], kLetter) && byte_at(line, at + 1 + name) == '=') return at;
  }
  return line.size();
}

// jwt_secret: keyboardcat. A session signing secret is often an invented word.
bool is_made_up(string_view name, NameKind kind, string_view value, UnquotedContext where) {
  if (kind != NameKind::kKey || where == UnquotedContext::kInside || value.size() < 8 || !all_of(value, kLower))
    return false;
  const std::string small = lowered(name);
  for (const string_view sort : {"jwt", "session", "cookie", "secret_key", "secretkey", "app_secret"})
    if (small.find(sort) != std::string::npos && small.find("name") == std::string::npos)
      return is_quoted_secret(NameKind::kKey, value);
  return false;
}

// self.password = password: a variable of the same sort.
bool is_own_variable(string_view name, string_view value) {
  return (name.starts_with("self.") || name.starts_with("this.")) && all_of(value, kName) && !any_of(value, kDigit);
}

// "Password for ada: x"
bool is_password_for(string_view line) {
  line = without_blanks(line);
  if (!line.ends_with("for") && !line.ends_with("for user")) return false;
  line.remove_suffix(line.ends_with("user") ? 8 : 3);
  line = without_blanks(line);
  return line.ends_with("assword") || line.ends_with("assphrase");
}

OptionalMatch bare_value(const Spot& spot, const NameBefore& name, NameKind kind, std::size_t begin, bool tight) {
  const string_view text = spot.ahead.substr(0, kWindow);
  const char sign = spot.ahead[0];
  const std::size_t line_end = find_kind(text, begin, kNewline);
  std::size_t end = begin;
  const bool anchored = begins_line(name.line) && !name.quoted;
  const bool block = text.substr(0, begin).find('\n') != string_view::npos;  // a YAML block: the line is the value
  const bool fallback = name.line.ends_with("${");
  const string_view line = text.substr(begin, line_end - begin);
  const bool whole_line =
      anchored && (tight || block || is_scramble(line)) && find_kind(line, 0, kBlank | kQuote) == line.size();
  if (whole_line) {
    end = begin + end_of_pair(line);
    if (text.substr(begin, end - begin).ends_with(';') && all_of(name.name, kName | kDotTilde)) --end;
  } else {
    while (end < line_end && !is(text[end], kBlank | kQuote) &&
           string_view("&;,<>)|\\").find(text[end]) == string_view::npos && !(fallback && text[end] == '}'))
      ++end;
  }
  const string_view value = text.substr(begin, end - begin);
  // A long chain of names and signs is no value, and judging it at each of its signs would cost much.
  constexpr std::size_t kLongestChain = 128;
  if (value.size() > kLongestChain && any_of(value.substr(0, value.size() - 2), kColon | kEqual)) return std::nullopt;
  if (value.empty() || find_web_token(spot.from(begin)) || find_token(spot.from(begin)) ||
      value.find("://") != string_view::npos)
    return std::nullopt;
  const char next = byte_at(text, end);
  string_view rest = text.substr(end, line_end - end);
  rest.remove_prefix(run_of(rest, 0, kBlank));
  const bool ends_line = rest.empty() || (rest.starts_with('#') && is(next, kBlank));
  UnquotedContext where = UnquotedContext::kInside;
  if (anchored && ends_line &&
      (sign == ':' || tight || any_of(value, kDigit) || name.name.find('.') != string_view::npos))
    where = UnquotedContext::kLine;
  if (sign == '=' && tight &&
      (next == '\0' || is(next, kSpace) || next == '&' || (next == ';' && value.size() >= 6) || is(next, kQuote)))
    where = UnquotedContext::kTight;
  if (where == UnquotedContext::kTight && !name.line.empty() && (name.line.back() == '(' || name.line.ends_with("->")))
    where = UnquotedContext::kInside;
  if (sign == ':' && (kind == NameKind::kShort || (kind == NameKind::kWeak && !anchored))) return std::nullopt;
  if (is_own_variable(name.name, value)) return std::nullopt;
  if (!is_bare_secret(kind, value, where) && !is_made_up(name.name, kind, value, where)) return std::nullopt;
  return found(rule_for(kind), begin, end, end == spot.ahead.size() ? Tail::kRun : Tail::kNone);
}

}  // namespace

OptionalMatch find_assigned(const Spot& spot) {
  bool compares = false;
  const std::size_t sign_end = past_sign(spot, compares);
  if (sign_end == 0) return std::nullopt;
  auto [name, kind] = assigned_name(spot);
  if (name.name.empty()) return std::nullopt;
  if (kind == NameKind::kOrdinary && name.name == "default") kind = name_kind(variable_before(name.line));
  if (kind == NameKind::kOrdinary && same_letters(name.name, "value")) kind = name_kind(name_of_neighbour(name.line));
  if (kind == NameKind::kOrdinary && in_secret_manifest(spot, name)) kind = NameKind::kKey;
  if (kind == NameKind::kOrdinary && spot.ahead[0] == ':' && is_password_for(name.line)) kind = NameKind::kPassword;
  if (kind == NameKind::kOrdinary) return std::nullopt;
  const std::size_t begin = past_layout(spot.ahead.substr(0, kWindow),
                                        past_fallback(spot.ahead, sign_end + run_of(spot.ahead, sign_end, kBlank)));
  if (begin >= std::min(kWindow, spot.ahead.size())) return std::nullopt;
  if (kind == NameKind::kHeader) return header_value(spot, begin);
  if (const auto quoted = quoted_text(spot.ahead.substr(0, kWindow), begin)) {
    const string_view value = spot.ahead.substr(quoted->begin, quoted->end - quoted->begin);
    if (is_known_elsewhere(spot.from(quoted->begin), value) || !is_quoted_secret(kind, value)) return std::nullopt;
    return found(rule_for(kind), quoted->begin, quoted->end);
  }
  if (compares || is(byte_at(spot.ahead, begin), kQuote)) return std::nullopt;
  return bare_value(spot, name, kind, begin,
                    begin == sign_end && (spot.behind.empty() || !is(spot.behind.back(), kBlank)));
}

}  // namespace pinfold::redaction
