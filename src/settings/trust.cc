// trust.cc: reads the store of consents, one JSON file beside the user's policy file.
// Invariant: a store that cannot be read whole, or that others could have written, is no consent.
// Not here: changing it (trust_change.cc), the question to the user (cli/policy_trust.cc), the access that a file
// requests (policy/narrowing.h).
#include "settings/trust.h"

#include <sodium/crypto_hash_sha256.h>

#include <array>

#include <nlohmann/json.hpp>

#include "base/paths.h"
#include "base/text.h"

namespace pinfold::settings {
namespace {

using Json = nlohmann::ordered_json;

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
  const std::string path = paths::join(directory, kTrustStore);
  auto file = host.read_owned(directory, kTrustStore, Links::kStayInside, kLongestStore);
  if (!file && file.error().kind() == ErrorKind::kNotFound) return store;
  if (!file) return tl::unexpected<Error>(unreadable(path, "cannot be read (" + file.error().text() + ")"));
  if (file->uid != host.identity().uid) return tl::unexpected<Error>(unreadable(path, "belongs to another user"));
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

}  // namespace pinfold::settings
