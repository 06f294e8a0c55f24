// secret_names.cc: the words that make a name a secret's.
// Invariant: linear in the name; a long name is judged by its last words.
// Not here: values (redact.cc).
#include "safety/secret_names.h"

#include <algorithm>
#include <array>
#include <string>

namespace pinfold::safety {
namespace {

using std::string_view;

constexpr std::size_t kMostWords = 8;
constexpr std::size_t kLongestName = 96;

constexpr string_view kHeaders[] = {"authorization", "cookie"};
constexpr string_view kStrong[] = {"password",  "passwd",     "passphrase", "passcode",   "apikey",     "accesskey",
                                   "secretkey", "privatekey", "authkey",    "credential", "credentials"};
constexpr string_view kWeakWords[] = {"token", "secret"};
// Only as a part of a longer name: PWD is the working directory, and "pass" a word of every test's output.
constexpr string_view kInCompany[] = {"pwd", "pass", "pw", "auth"};
// "AWS_SECRET_KEY", "api-key": a key of this sort.
constexpr string_view kKeySorts[] = {"api",     "access",     "private", "secret",  "signing",
                                     "account", "encryption", "auth",    "session", "master"};
// "PGPASSWORD", "githubtoken": what is written without a gap.
constexpr string_view kEndings[] = {"password", "passwd", "passphrase", "apikey", "token", "secret"};
// A name that ends so tells about the secret: its file, its length, its name in a store.
constexpr string_view kAbout[] = {"file",   "path",     "dir",  "url",   "uri",    "name", "type",
                                  "count",  "limit",    "size", "ttl",   "length", "mode", "policy",
                                  "helper", "endpoint", "id",   "store", "fd",     "env",  "stdin"};

template <std::size_t N>
bool among(string_view word, const string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

struct Words {
  std::array<std::string, kMostWords> all;
  std::size_t count = 0;
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// "DB_PASSWORD", "clientSecret", "x-api-key" → small words; only the first eight.
Words words_of(string_view name) {
  Words out;
  std::string word;
  const auto finish = [&] {
    if (!word.empty() && out.count < kMostWords) out.all[out.count++] = std::move(word);
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '-' || c == '_' || c == '.') {
      finish();
      continue;
    }
    if (is_upper(c) && i > 0 && is_lower(name[i - 1])) finish();
    word += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  finish();
  return out;
}

}  // namespace

NameKind name_kind(string_view name) {
  if (name.size() > kLongestName) name.remove_prefix(name.size() - kLongestName);
  const bool flag = name.starts_with("--");
  const Words words = words_of(name);
  if (words.count == 0) return NameKind::kOrdinary;
  const string_view last = words.all[words.count - 1];
  if (among(last, kHeaders)) return NameKind::kHeader;
  if (words.count > 1 && among(last, kAbout)) return NameKind::kOrdinary;
  for (std::size_t i = 0; i < words.count; ++i) {
    const string_view word = words.all[i];
    if (among(word, kStrong)) return NameKind::kSecret;
    if (among(word, kWeakWords)) return words.count > 1 && !flag ? NameKind::kSecret : NameKind::kWeak;
    if (word == "key" && i > 0 && among(words.all[i - 1], kKeySorts)) return NameKind::kSecret;
    if (among(word, kInCompany) && i + 1 == words.count && (words.count > 1 || (flag && word != "pwd")))
      return NameKind::kSecret;
    for (const string_view ending : kEndings)
      if (word.size() > ending.size() && word.ends_with(ending)) return NameKind::kSecret;
  }
  return NameKind::kOrdinary;
}

}  // namespace pinfold::safety
