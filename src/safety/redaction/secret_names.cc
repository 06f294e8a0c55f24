// secret_names.cc: the words that make a name the name of a secret.
// Invariant: linear in the name; a long name is judged by its last words.
// Not here: values (values.cc).
#include "safety/redaction/secret_names.h"

#include <algorithm>
#include <array>
#include <bitset>

#include "safety/redaction/chars.h"

namespace pinfold::redaction {
namespace {

using std::string_view;

constexpr std::size_t kMostWords = 12;
constexpr std::size_t kLongestName = 96;

constexpr string_view kHeaders[] = {"authorization", "cookie"};
constexpr string_view kPasswords[] = {
    "password",   "passwd",      "passphrase",  "passcode", "passwort", "kennwort", "senha",     "contrasena",
    "motdepasse", "haslo",       "wachtwoord",  "parola",   "pswd",     "psswd",    "passwrd",   "passw",
    "psk",        "requirepass", "masterauth",  "pword",    "userpass", "dbpass",   "storepass", "keypass",
    "rootpw",     "bindpw",      "ansiblepass", "mdp",      "passkey"};
constexpr string_view kKeys[] = {
    "apikey",       "accesskey",     "secretkey",         "privatekey", "authkey",         "credential",
    "credentials",  "appkey",        "authtoken",         "appsecret",  "clientsecret",    "apisecret",
    "accesstoken",  "masterkey",     "accountkey",        "sharedkey",  "secretaccesskey", "apitoken",
    "refreshtoken", "encryptionkey", "signingkey",        "bottoken",   "sharedaccesskey", "subscriptionkey",
    "licensekey",   "functionkey",   "instrumentationkey"};
constexpr string_view kWeakWords[] = {"token", "secret", "crumb"};
// Only as a part of a longer name: PWD is the working directory, and "pass" a word of every test's output.
constexpr string_view kInCompany[] = {"pwd", "pass", "pw", "psw"};
// "DB_PASS", "userPass": whose; "TypeErrorPass" is a step of a compiler.
constexpr string_view kOwners[] = {
    "db",      "user",   "my",      "mysql",    "root",   "admin",    "smtp",       "mail",     "ftp",        "sftp",
    "ssh",     "wifi",   "sudo",    "ldap",     "proxy",  "http",     "redis",      "pg",       "key",        "store",
    "login",   "auth",   "default", "web",      "email",  "imap",     "bot",        "api",      "app",        "server",
    "host",    "test",   "vnc",     "rabbitmq", "mongo",  "postgres", "oracle",     "sql",      "database",   "account",
    "git",     "svn",    "ssl",     "service",  "become", "es",       "mqtt",       "amqp",     "jdbc",       "rpc",
    "ansible", "router", "master",  "remote",   "ap",     "sta",      "encryption", "keystore", "truststore", "client"};
constexpr string_view kFaintWords[] = {"auth", "salt", "sig",   "signature", "jwt", "bearer",
                                       "sid",  "hmac", "creds", "cred",      "pat"};
// "AWS_SECRET_KEY", "api-key": a key of this sort.
constexpr string_view kKeySorts[] = {
    "api",      "access", "private", "secret",    "signing",      "account",     "encryption",  "auth",     "session",
    "master",   "shared", "license", "consumer",  "subscription", "app",         "application", "service",  "storage",
    "jwt",      "hmac",   "aes",     "cipher",    "crypto",       "deploy",      "client",      "server",   "admin",
    "function", "host",   "write",   "stream",    "security",     "integration", "ingest",      "encrypt",  "token",
    "webhook",  "rest",   "dev",     "developer", "cookie",       "device",      "provision",   "preshared"};
// "GITLAB_KEY", "slackKey": vendors that issue keys.
constexpr string_view kVendors[] = {
    "github",   "gitlab",   "bitbucket", "slack",      "google",  "aws",       "azure",    "stripe",    "twilio",
    "sendgrid", "mailgun",  "mailchimp", "heroku",     "openai",  "anthropic", "discord",  "telegram",  "facebook",
    "twitter",  "linkedin", "datadog",   "cloudflare", "algolia", "mapbox",    "firebase", "paypal",    "square",
    "shopify",  "dropbox",  "okta",      "auth0",      "sentry",  "newrelic",  "jira",     "atlassian", "jenkins",
    "npm",      "pypi",     "docker",    "netlify",    "vercel",  "supabase",  "cloudant", "softlayer", "ibm",
    "alibaba",  "tencent",  "yandex",    "zendesk",    "hubspot"};
// A map's key, not a lock's.
constexpr string_view kPlainKeys[] = {
    "primary", "foreign", "public", "cache", "sort",  "partition", "map",   "row",  "index", "group", "lookup",
    "hash",    "unique",  "object", "json",  "query", "column",    "sub",   "hot",  "arrow", "short", "translation",
    "route",   "locale",  "i18n",   "host",  "known", "tag",       "label", "meta", "data"};
// "PGPASSWORD", "githubtoken": words joined without a separator.
constexpr string_view kEndings[] = {"password", "passwd",    "passphrase", "apikey", "token",
                                    "secret",   "secretkey", "accesskey",  "sshkey", "authkey"};
// A name with this ending describes the secret: its file, its length, its name in a store.
constexpr string_view kAbout[] = {
    "file",      "path",      "dir",        "url",         "uri",         "name",       "type",      "count",
    "limit",     "size",      "ttl",        "length",      "len",         "mode",       "policy",    "helper",
    "endpoint",  "id",        "ids",        "store",       "fd",          "env",        "stdin",     "field",
    "input",     "label",     "hint",       "placeholder", "error",       "errors",     "message",   "msg",
    "text",      "title",     "prompt",     "regex",       "regexp",      "pattern",    "validator", "rule",
    "rules",     "min",       "max",        "expiry",      "expires",     "expiration", "expire",    "age",
    "date",      "time",      "timeout",    "at",          "version",     "status",     "state",     "provider",
    "manager",   "class",     "template",   "form",        "page",        "view",       "link",      "reset",
    "change",    "changed",   "strength",   "encoder",     "algorithm",   "alg",        "format",    "kind",
    "index",     "idx",       "column",     "col",         "table",       "attr",       "attribute", "param",
    "parameter", "prefix",    "suffix",     "enabled",     "required",    "valid",      "visible",   "list",
    "map",       "callback",  "handler",    "fn",          "func",        "factory",    "generator", "source",
    "scope",     "issuer",    "audience",   "group",       "role",        "ref",        "match",     "ok",
    "exists",    "verified",  "color",      "style",       "icon",        "button",     "btn",       "dialog",
    "modal",     "component", "help",       "desc",        "description", "doc",        "docs",      "location",
    "host",      "port",      "server",     "user",        "username",    "email",      "cmd",       "command",
    "option",    "options",   "config",     "settings",    "arn",         "algo",       "rotation",  "names",
    "types",     "mount",     "volume",     "pos",         "position",    "start",      "end",       "offset",
    "mgr",       "exception", "encryption", "stream",      "parser",      "iterator",   "budget",    "usage",
    "cost",      "price",     "test",       "tests"};

template <std::size_t N>
bool among(string_view word, const string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

struct Words {
  std::array<char, kLongestName> letters;
  std::array<string_view, kMostWords> all;
  std::size_t count = 0;
};

// "DB_PASSWORD", "clientSecret", "x-api-key" → small words; only the first twelve.
void split(string_view name, Words& out) {
  std::size_t begin = 0;
  const auto finish = [&](std::size_t end) {
    if (end > begin && out.count < kMostWords) out.all[out.count++] = {out.letters.data() + begin, end - begin};
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    out.letters[i] = lower(c);
    if (!is(c, kAlnum)) {
      finish(i);
      begin = i + 1;
    } else if (is(c, kUpper) && i > 0 &&
               (is(name[i - 1], kLower | kDigit) || (is(name[i - 1], kUpper) && is(byte_at(name, i + 1), kLower)))) {
      finish(i);
      begin = i;
    }
  }
  finish(name.size());
}

// Three letters that each word above has in a row: most names have none of them, and need no second look.
std::bitset<32768> make_stems() {
  std::bitset<32768> out;
  for (const string_view stem :
       {"pas", "pwd", "psw", "pss", "psk", "swo", "pwo", "sec", "tok", "key", "aut", "cre", "sal", "sig",
        "jwt", "bea", "sid", "hma", "coo", "cru", "ken", "sen", "mot", "asl", "wac", "aro", "mdp"})
    out.set(three_letters(stem[0], stem[1], stem[2]));
  return out;
}

bool might_be(string_view name) {
  static const std::bitset<32768> kStems = make_stems();
  for (std::size_t i = 2; i < name.size(); ++i)
    if (kStems[three_letters(name[i - 2], name[i - 1], name[i])]) return true;
  return name.size() >= 3 &&
         (same_letters(name.substr(name.size() - 2), "pw") || same_letters(name.substr(name.size() - 3), "pat"));
}

}  // namespace

NameKind name_kind(string_view name) {
  if (!might_be(name)) return NameKind::kOrdinary;
  if (name.size() > kLongestName) name.remove_prefix(name.size() - kLongestName);
  const bool flag = name.starts_with("--");
  Words words;
  split(name, words);
  while (words.count > 1 && all_of(words.all[words.count - 1], kDigit)) --words.count;  // "password2"
  if (words.count == 0) return NameKind::kOrdinary;
  const string_view last = words.all[words.count - 1];
  if (among(last, kHeaders)) return NameKind::kHeader;
  if (words.count > 2 && last == "id" && words.all[words.count - 2] == "key" && words.all[words.count - 3] == "access")
    return NameKind::kKey;
  if (words.count > 1 && among(last, kAbout)) return NameKind::kOrdinary;
  NameKind kind = NameKind::kOrdinary;
  for (std::size_t i = 0; i < words.count; ++i) {
    string_view word = words.all[i];
    while (word.size() > 1 && is(word.back(), kDigit)) word.remove_suffix(1);
    const bool is_last = i + 1 == words.count;
    const string_view before = i > 0 ? words.all[i - 1] : string_view();
    if (among(word, kPasswords)) return NameKind::kPassword;
    if (among(word, kKeys)) return NameKind::kKey;
    if (word == "token" && before == "public") continue;
    if (among(word, kWeakWords)) return words.count > 1 && !flag ? NameKind::kKey : NameKind::kWeak;
    if (word == "key" && (among(before, kKeySorts) || among(before, kVendors))) return NameKind::kKey;
    if (among(word, kInCompany) && is_last && (words.count > 1 || (flag && word != "pwd")))
      return word != "pass" || flag || among(before, kOwners) ? NameKind::kPassword : NameKind::kShort;
    if (word.ends_with("key") && among(word.substr(0, word.size() - 3), kVendors)) return NameKind::kKey;
    for (const string_view ending : kEndings)
      if (word.size() > ending.size() && word.ends_with(ending))
        return ending.starts_with("pass") ? NameKind::kPassword : NameKind::kKey;
    if (words.count == 1 && among(word, kInCompany)) return NameKind::kShort;
    if (is_last && (word == "key" ? !among(before, kPlainKeys) : among(word, kFaintWords))) kind = NameKind::kFaint;
  }
  return kind;
}

}  // namespace pinfold::redaction
