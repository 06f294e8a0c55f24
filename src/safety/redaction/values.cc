// values.cc: distinguishes a secret from a name, a type, a sentence and a placeholder.
// Invariant: each word list is searched at most once for each value.
// Not here: names (secret_names.cc).
#include "safety/redaction/values.h"

#include <string>

#include "safety/redaction/chars.h"

namespace pinfold::redaction {
namespace {

using std::string_view;

constexpr std::size_t kLongest = 512;

// Values that describe a secret, or say that there is none.
constexpr string_view kWhole[] = {
    "null",        "none",       "nil",        "true",       "false",      "undefined",   "string",
    "str",         "text",       "required",   "optional",   "hidden",     "bytes",       "number",
    "integer",     "boolean",    "bool",       "object",     "any",        "default",     "empty",
    "unknown",     "disabled",   "enabled",    "invalid",    "missing",    "bearer",      "basic",
    "oauth",       "oauth2",     "test",       "testing",    "value",      "name",        "plain",
    "plaintext",   "md5",        "sha1",       "sha256",     "sha512",     "bcrypt",      "scrypt",
    "argon2",      "argon2id",   "hashed",     "encrypted",  "base64",     "utf8",        "utf-8",
    "varchar",     "nullable",   "confirmed",  "contraseña", "passwort",   "kennwort",    "hasło",
    "senha",       "wachtwoord", "parola",     "heslo",      "lösenord",   "adgangskode", "mot de passe",
    "contrasena",  "self",       "this",       "input",      "output",     "prompt",      "stdin",
    "getpass",     "string;",    "pw",         "pass",       "data",       "result",      "response",
    "request",     "never",      "always",     "inherit",    "auto",       "omit",        "include",
    "same-origin", "x509",       "pkcs8",      "pkcs12",     "pem",        "jwt",         "rs256",
    "hs256",       "es256",      "identifier", "keyword",    "operator",   "punctuation", "comment",
    "delimiter",   "error",      "current",    "abc",        "foo",        "bar",         "baz",
    "qux",         "expired",    "revoked",    "valid",      "verify",     "forgot",      "change",
    "reset",       "update",     "login",      "signin",     "signup",     "logout",      "submit",
    "cancel",      "email",      "username",   "user",       "admin-user", "yes",         "off",
    "char",        "uuid",       "function",   "const",      "return",     "promise",     "buffer",
    "array",       "list",       "dict",       "int",        "float",      "type",        "types",
    "session",     "cookie",     "cookies",    "header",     "headers",    "query",       "body",
    "form",        "params",     "config",     "compat",     "files",      "environment", "manual",
    "interactive", "static",     "dynamic",    "public",     "private",    "internal",    "external",
    "global"};
// Anywhere in a value of words: the user has to fill it in.
constexpr string_view kParts[] = {"your",   "example",  "placeholder", "changeme", "change_me", "change-me", "replace",
                                  "insert", "redacted", "xxxx",        "****",     "....",      "dummy",     "sample",
                                  "todo",   "fixme",    "enter",       "_here",    "-here",     "undefined", "not_set",
                                  "unset",  "lorem",    "removed",     "omitted",  "masked",    "hidden",    "put_",
                                  "<",      "dont-use", "notreal",     "not-real", "not_real",  "here>",     "…",
                                  "●",      "•"};
// A value begins so when it is fetched from elsewhere.
constexpr string_view kBeginnings[] = {
    "$",        "<",      "{{",        "{",        "%(",      "%{",        "#{",      "@@",       "\\$",
    "env:",     "env(",   "vault:",    "ssm:",     "op://",   "file:",     "http://", "https://", "arn:",
    "process.", "os.",    "getenv",    "system.",  "config.", "settings.", "self.",   "this.",    "req.",
    "request.", "params", "args",      "[",        "(",       "&lt;",      "#[",      "ENC(",     "!vault",
    "ref+",     "data:",  "secret://", "keyring:", "/",       "./",        "../",     "~/",       "*",
    "\\",       "sha1-",  "sha256-",   "sha384-",  "sha512-", "urn:"};
// Words about secrets: alone they name one.
constexpr string_view kTalk[] = {"password",
                                 "passwd",
                                 "passphrase",
                                 "passcode",
                                 "pass",
                                 "pwd",
                                 "secret",
                                 "secrets",
                                 "token",
                                 "tokens",
                                 "key",
                                 "keys",
                                 "api",
                                 "apikey",
                                 "user",
                                 "my",
                                 "the",
                                 "new",
                                 "old",
                                 "current",
                                 "confirm",
                                 "confirmation",
                                 "db",
                                 "database",
                                 "access",
                                 "auth",
                                 "client",
                                 "app",
                                 "login",
                                 "credentials",
                                 "credential",
                                 "private",
                                 "public",
                                 "name",
                                 "field",
                                 "input",
                                 "refresh",
                                 "csrf",
                                 "session",
                                 "bearer",
                                 "id",
                                 "is",
                                 "a",
                                 "to",
                                 "for",
                                 "of",
                                 "or",
                                 "and",
                                 "in",
                                 "not",
                                 "no",
                                 "with",
                                 "authorization",
                                 "cookie",
                                 "signing",
                                 "encryption",
                                 "account",
                                 "aws",
                                 "github",
                                 "google",
                                 "azure",
                                 "slack",
                                 "oauth",
                                 "jwt",
                                 "hash",
                                 "type",
                                 "value",
                                 "data",
                                 "file",
                                 "path",
                                 "url",
                                 "config",
                                 "test",
                                 "missing",
                                 "invalid",
                                 "wrong",
                                 "bad",
                                 "good",
                                 "some",
                                 "any",
                                 "default",
                                 "from",
                                 "get",
                                 "set",
                                 "user_password",
                                 "stripe",
                                 "service",
                                 "server",
                                 "webhook",
                                 "one",
                                 "time",
                                 "otp",
                                 "x",
                                 "on",
                                 "off",
                                 "env",
                                 "var"};

template <std::size_t N>
bool among(string_view word, const string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_special(char c) { return c > ' ' && c < 0x7f && !is(c, kAlnum) && !is(c, kDash) && c != '.'; }
std::size_t specials(string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_special));
}

// Only words that talk about secrets: "userPassword", "my secret token".
bool is_talk(string_view value) {
  bool all = true;
  bool any = false;
  parts_of(value, [&](string_view part) {
    any = true;
    all = all && !is(part[0], kDigit) && among(lowered(part), kTalk);
  });
  return any && all;
}

bool has_talk(string_view value) {
  bool any = false;
  parts_of(value, [&](string_view part) { any = any || (part.size() > 3 && among(lowered(part), kTalk)); });
  return any;
}

// "login.password.label", "users.id", "text/plain", "a|b": an identifier with a path, a rule, a type.
bool is_dotted_words(string_view value) {
  return value.find_first_of("./|,:") != string_view::npos && !any_of(value, kDigit) && is_wordy(value) &&
         specials(value) == static_cast<std::size_t>(std::count_if(value.begin(), value.end(), [](char c) {
           return c == '/' || c == '|' || c == ',' || c == ':';
         }));
}

bool is_code(string_view value) {
  if (value.find_first_of("(){}[]<>") != string_view::npos) {
    // A password may have them, a call or an index has a word in front.
    const std::size_t open = value.find_first_of("({[<");
    if (open == string_view::npos || open == 0 || is(value[open - 1], kName) || value.back() == ')') return true;
  }
  return value.find("%s") != string_view::npos || value.find("%d") != string_view::npos ||
         value.find("${") != string_view::npos || value.find("::") != string_view::npos ||
         value.find("->") != string_view::npos || value.find("=>") != string_view::npos ||
         value.find("\\u") != string_view::npos || value.find("\\x") != string_view::npos;
}

bool is_token_text(string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return is(c, kToken) || c == '%'; });
}

// "ed25519.PrivateKey", "self.tokens.current": a chain of names that ends with words.
bool is_chain(string_view value) {
  const std::size_t dot = value.rfind('.');
  if (dot == string_view::npos || dot == 0 || dot + 2 >= value.size() || !all_of(value, kName | kDotTilde))
    return false;
  const string_view last = value.substr(dot + 1);
  return !any_of(last, kDigit) && is_wordy(last);
}

// "0x773", "-0x3f87"
bool is_hex_number(string_view value) {
  if (value.starts_with('-')) value.remove_prefix(1);
  return (value.starts_with("0x") || value.starts_with("0X")) && value.size() <= 18 && all_of(value.substr(2), kHex);
}

bool has_space(string_view value) { return any_of(value, kSpace); }

// WordPress salts, Django keys: many signs, digits and letters, perhaps with blanks between.
bool is_noise(string_view value) {
  for (const string_view pattern : {"[a-z", "(?", "\\d", "\\w", "%s", "://", "=\"", "='", "</", "$(", "&&"})
    if (value.find(pattern) != string_view::npos) return false;
  return value.size() >= 20 && specials(value) >= 4 && any_of(value, kDigit) && any_of(value, kLower) &&
         entropy(value) >= 3.8;
}

// Sentences about passwords have one of these words; an invented pass-phrase has none.
constexpr string_view kSaid[] = {
    "password", "passwords", "passphrase", "character", "characters", "letters", "numbers", "digits",  "digit",
    "enter",    "please",    "your",       "you",       "must",       "should",  "least",   "invalid", "wrong",
    "required", "again",     "new",        "confirm",   "match",      "use",     "type",    "forgot",  "reset",
    "blank",    "empty",     "the",        "user",      "users",      "login",   "log",     "sign",    "expires",
    "expire",   "valid",     "minimum",    "maximum",   "min",        "max",     "long",    "between", "days",
    "hours",    "minutes",   "seconds",    "passwort",  "kennwort",   "bitte",   "passe",   "senha",   "incorrect",
    "used",     "using",     "see",        "not",       "this",       "that",    "will",    "be",      "are",
    "was",      "cannot",    "can",        "error",     "failed",     "field",   "value",   "string",  "secret",
    "token",    "optional",  "default",    "set",       "change",     "update",  "create",  "show",    "hide",
    "account",  "key",       "hash",       "hashed",    "plain",      "text",    "select",  "from",    "where",
    "if",       "then",      "else",       "return",    "or"};

// "correct horse battery staple", "my dog has fleas 9": an invented pass-phrase with single blanks.
bool is_phrase(string_view value) {
  constexpr std::size_t kLongestPhrase = 64;
  constexpr std::size_t kMostWords = 8;
  if (value.size() < 12 || value.size() > kLongestPhrase) return false;
  std::size_t words = 0;
  bool numbers = false;
  bool short_word = false;
  bool all_lower = true;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(value.find(' ', at), value.size());
    const string_view word = value.substr(at, end - at);
    at = end + 1;
    if (word.empty() || !all_of(word, kAlnum | kDash) || among(lowered(word), kSaid)) return false;
    ++words;
    numbers = numbers || any_of(word, kDigit);
    short_word = short_word || word.size() < 3;
    all_lower = all_lower && all_of(word, kLower);
  }
  if (words < 3 || words > kMostWords || value.ends_with(' ')) return false;
  return numbers ? count_of(value, kLetter) >= 6 : words >= 4 && all_lower && !short_word;
}

bool is_password(string_view value) {
  if (value.size() < 4 || is_code(value) || value.front() == '-') return false;
  if (has_space(value)) return is_noise(value);
  const bool plain = !any_of(value, kDigit) && specials(value) == 0;
  if (plain)
    return value.size() >= 5 && !has_talk(value) && !is_dotted_words(value) && !is_talk(value) &&
           value.find('.') == string_view::npos;
  if (value.find('|') != string_view::npos && is_wordy(value)) return false;  // a rule: "required|min:8"
  return !is_dotted_words(value) && !is_counting(value.substr(0, value.size() > 12 ? value.size() : 0));
}

bool is_no_word(string_view value) { return any_of(value, kLetter) && (any_of(value, kDigit) || specials(value) > 0); }

bool is_key(string_view value) {
  if (value.size() < 8 || has_space(value)) return value.size() >= 40 && is_noise(value);
  if (is_code(value) || is_wordy(value) || is_counting(value)) return false;
  if (!any_of(value, kLetter)) {  // a number of microseconds begins with 15 to 19 for years to come
    const bool clock = value.size() < 20 && value[0] == '1' && value[1] >= '5';
    return value.size() >= 16 && !clock && all_of(value, kDigit) && distinct_bytes(value) >= 5;
  }
  if (any_of(value, kDigit)) return entropy(value) >= (value.size() >= 16 ? 2.9 : 2.4);
  if (value.size() >= 16 && all_of(value, kLetter) && is_drawn(value)) return true;
  return value.size() >= 20 && any_of(value, kUpper) && any_of(value, kLower) && entropy(value) >= 3.6;
}

}  // namespace

bool is_scramble(string_view value) {
  for (const string_view pattern : {"[a-z", "[A-Z", "[0-9", "(?", "\\d", "\\w", "\\s", "://", "</", "=\"", "='", "&&"})
    if (value.find(pattern) != string_view::npos) return false;
  if (value.size() < 24 || has_space(value) || count_of(value, kLetter) < 8 || specials(value) < 10) return false;
  std::string signs(value);
  std::erase_if(signs, [](char c) { return !is_special(c); });
  return distinct_bytes(signs) >= 6;
}

bool is_stand_in(string_view value) {
  if (value.empty() || distinct_bytes(value) < 3) return true;
  const std::string small = lowered(value);
  for (const string_view beginning : kBeginnings)
    if (small.starts_with(beginning)) return true;
  if (value.starts_with('%') && value.ends_with('%')) return true;
  if (value.starts_with("__") && value.ends_with("__")) return true;
  if (among(small, kWhole) || is_talk(value)) return true;
  // In a long random text any four letters turn up by chance.
  if (value.size() >= 24 && !is_wordy(value)) return false;
  for (const string_view part : kParts)
    if (small.find(part) != string_view::npos) return true;
  return false;
}

bool is_random(string_view value) {
  return value.size() >= 20 && value.size() <= kLongest && is_token_text(value) && any_of(value, kUpper) &&
         any_of(value, kLower) && count_of(value, kDigit) >= 2 && !is_wordy(value) && entropy(value) >= 3.7 &&
         !is_counting(value);
}

namespace {

// "key" names many things: accept only clearly random values that are not checksums.
bool is_faint_secret(string_view value) {
  if (is_random(value)) return true;
  return value.size() >= 32 && value.size() <= 128 && all_of(value, kAlnum) && !all_of(value, kHex) &&
         count_of(value, kDigit) >= 4 && is_drawn(value) && !is_counting(value);
}

}  // namespace

bool is_quoted_secret(NameKind name, string_view value) {
  if (value.size() > kLongest || name == NameKind::kOrdinary) return false;
  if (name == NameKind::kFaint && !is_faint_secret(value) && value.size() < 32) return false;  // the cheap look first
  if (name != NameKind::kOrdinary && value.size() >= 32 && is_noise(value) && specials(value) >= 8) return true;
  if (name != NameKind::kOrdinary && name != NameKind::kFaint && is_scramble(value)) return true;
  if (is_stand_in(value)) return false;
  switch (name) {
    case NameKind::kOrdinary: return false;
    case NameKind::kShort: return is_password(value) && is_no_word(value);
    case NameKind::kFaint: return is_faint_secret(value);
    case NameKind::kWeak: return is_key(value);
    case NameKind::kKey:
      if (value.size() >= 8 && all_of(value, kLower) && is_password(value)) return true;
      return is_key(value) ||
             (value.size() >= 8 && is_no_word(value) && is_password(value) && !has_talk(value) && all_of(value, kName));
    case NameKind::kHeader: return is_password(value);
    case NameKind::kPassword: return is_password(value) || is_phrase(value);
  }
  return false;
}

bool is_bare_secret(NameKind name, string_view value, UnquotedContext where) {
  if (name == NameKind::kOrdinary || (name == NameKind::kFaint && !is_faint_secret(value))) return false;
  if ((name == NameKind::kPassword || name == NameKind::kKey) && where != UnquotedContext::kInside &&
      value.size() <= kLongest && is_scramble(value))
    return true;
  if (value.size() > kLongest || is_stand_in(value) || is_code(value) || is_chain(value) || is_hex_number(value))
    return false;
  if (name == NameKind::kOrdinary) return false;
  if (name == NameKind::kFaint) return is_faint_secret(value) && value.find('.') == string_view::npos;
  if (name == NameKind::kShort && !is_no_word(value) && (where != UnquotedContext::kTight || value.size() < 8))
    return false;
  if (name == NameKind::kKey || name == NameKind::kWeak) return is_key(value);
  // "user.password", "other_password": more often code than a secret.
  const bool identifier = all_of(value, kName | kDotTilde) && !is(value[0], kDigit);
  const bool digits = any_of(value, kDigit);
  if (value.find('.') != string_view::npos && identifier && is_wordy(value)) return false;
  if (!digits && specials(value) == 0) {
    if (where == UnquotedContext::kInside || !is_password(value)) return false;
    return where == UnquotedContext::kTight ? true : value.size() >= 6 && all_of(value, kLower);
  }
  if (where == UnquotedContext::kInside && identifier && is_wordy(value)) return false;
  return is_password(value) && (value.size() >= 6 || where != UnquotedContext::kInside) &&
         (any_of(value, kLetter) || where != UnquotedContext::kInside);
}

}  // namespace pinfold::redaction
