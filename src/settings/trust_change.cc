// trust_change.cc: adds to the store of consents, and takes away.
// Invariant: changes are made under a lock, to the text that is stored at that time, and published by rename.
// Not here: reading it (trust.cc), asking (cli/policy_trust.cc).
#include <chrono>

#include <nlohmann/json.hpp>

#include "base/paths.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "base/try.h"
#include "base/utf8.h"
#include "settings/trust.h"
#include "sys/files.h"

namespace pinfold::settings {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const std::vector<Consent>& all) {
  Json list = Json::array();
  for (const Consent& one : all)
    list.push_back({{"file", one.file}, {"sha256", one.hash}, {"at", one.at}, {"text", one.text}});
  return Json{{"version", 1}, {"trusted", std::move(list)}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// To the second.
std::string now() { return timestamp(std::chrono::system_clock::now()).substr(0, 19) + "Z"; }

template <typename Edit>
Result<void> change(const Caller& caller, HostView& host, Edit edit) {
  const std::string directory = config_directory(caller, host);
  if (directory.empty())
    return fail(ErrorKind::kInvalid, "the home directory is not known, so Pinfold cannot store your decisions",
                "set HOME");
  PF_TRY(opened, sys::make_directory(directory), "storing trusted files");
  const std::string path = paths::join(directory, kTrustStore);
  PF_TRY(lock, sys::lock_file(opened.raw(), ".trust.lock", directory), "storing trusted files");
  PF_TRY(store, TrustStore::read(caller, host));
  std::vector<Consent> all = store.all();
  edit(all);
  PF_CHECK(sys::publish_file(opened.raw(), kTrustStore, text_of(all), path), "storing trusted files");
  static_cast<void>(lock);
  return {};
}

}  // namespace

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
  PF_CHECK(change(caller, host, [&](std::vector<Consent>& all) {
    found = std::erase_if(all, [&](const Consent& one) { return one.file == file; }) > 0;
  }));
  return found;
}

}  // namespace pinfold::settings
