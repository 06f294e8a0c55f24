// trust.cc: the store of consents, one JSON file beside the user's policy file.
// Invariant: changes are made under a lock, on what is stored then, and published by rename.
// Not here: asking (cli/policy_trust.cc), what a file asks for (policy/narrowing.h).
#include "settings/trust.h"

#include <sodium/crypto_hash_sha256.h>

#include <array>
#include <chrono>
#include <ctime>

#include <nlohmann/json.hpp>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "sys/files.h"

namespace pinfold::settings {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStore = "trust.json";
constexpr std::size_t kLongestStore = 16 * 1024 * 1024;

Error unreadable(const std::string& path, const std::string& why) {
  return {ErrorKind::kRefused, text::shown(path) + " " + why + ", so no project file counts as trusted",
          "remove it and trust your projects again: pinfold policy trust"};
}

std::optional<std::vector<Consent>> consents_of(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto version = json.find("version");
  if (version == json.end() || !version->is_number_integer() || *version != 1) return std::nullopt;
  const auto list = json.find("trusted");
  if (list == json.end() || !list->is_array()) return std::nullopt;
  std::vector<Consent> out;
  for (const Json& one : *list) {
    if (!one.is_object()) return std::nullopt;
    Consent consent;
    for (const auto& [name, slot] : {std::pair<const char*, std::string*>{"file", &consent.file},
                                     {"sha256", &consent.hash},
                                     {"text", &consent.text},
                                     {"at", &consent.at}}) {
      const auto value = one.find(name);
      if (value == one.end() || !value->is_string()) return std::nullopt;
      *slot = value->get<std::string>();
    }
    out.push_back(std::move(consent));
  }
  return out;
}

std::string text_of(const std::vector<Consent>& all) {
  Json list = Json::array();
  for (const Consent& one : all)
    list.push_back({{"file", one.file}, {"sha256", one.hash}, {"at", one.at}, {"text", one.text}});
  return Json{{"version", 1}, {"trusted", std::move(list)}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string now() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> buffer{};
  return {buffer.data(), std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

template <typename Edit>
Result<void> change(const Caller& caller, HostView& host, Edit edit) {
  const std::string directory = config_directory(caller, host);
  if (directory.empty())
    return fail(ErrorKind::kInvalid, "the home directory is not known, so there is no place for the user's decisions",
                "set HOME");
  PF_TRY(opened, sys::make_directory(directory), "storing consent");
  const std::string path = paths::join(directory, kStore);
  PF_TRY(lock, sys::lock_file(opened.raw(), ".trust.lock", path), "storing consent");
  PF_TRY(store, TrustStore::read(caller, host), "");
  std::vector<Consent> all = store.all();
  edit(all);
  PF_CHECK(sys::publish_file(opened.raw(), kStore, text_of(all), path), "storing consent");
  static_cast<void>(lock);
  return {};
}

}  // namespace

std::string hash_of(std::string_view text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "sha256:";
  for (const unsigned char byte : digest) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

Result<TrustStore> TrustStore::read(const Caller& caller, HostView& host) {
  TrustStore store;
  const std::string directory = config_directory(caller, host);
  if (directory.empty()) return store;
  const std::string path = paths::join(directory, kStore);
  auto file = host.read_owned(directory, kStore, Links::kStayInside, kLongestStore);
  if (!file && file.error().kind() == ErrorKind::kNotFound) return store;
  if (!file) return tl::unexpected<Error>(unreadable(path, "cannot be read (" + file.error().text() + ")"));
  if (file->uid != host.identity().uid) return tl::unexpected<Error>(unreadable(path, "belongs to somebody else"));
  if ((file->mode & 0022U) != 0) return tl::unexpected<Error>(unreadable(path, "can be written by others"));
  auto all = consents_of(file->text);
  if (!all) return tl::unexpected<Error>(unreadable(path, "is damaged"));
  store.all_ = std::move(*all);
  return store;
}

const Consent* TrustStore::find(const std::string& file) const {
  for (const Consent& one : all_)
    if (one.file == file) return &one;
  return nullptr;
}

bool TrustStore::covers(const PolicyFile& file) const {
  const Consent* one = find(file.path);
  return one != nullptr && one->hash == hash_of(file.text);
}

Result<void> record_consent(const PolicyFile& file, const Caller& caller, HostView& host) {
  // JSON is UTF-8 and nothing else: under another name the consent would never be found again.
  if (!is_utf8(file.path))
    return fail(ErrorKind::kInvalid, text::shown(file.path) + " has a name that is not UTF-8, and cannot be stored",
                "rename the directory");
  return change(caller, host, [&](std::vector<Consent>& all) {
    std::erase_if(all, [&](const Consent& one) { return one.file == file.path; });
    all.push_back({file.path, hash_of(file.text), file.text, now()});
  });
}

Result<bool> revoke_consent(const std::string& file, const Caller& caller, HostView& host) {
  bool found = false;
  PF_CHECK(change(caller, host,
                  [&](std::vector<Consent>& all) {
                    found = std::erase_if(all, [&](const Consent& one) { return one.file == file; }) > 0;
                  }),
           "");
  return found;
}

}  // namespace pinfold::settings
