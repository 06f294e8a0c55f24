// trust.h: which project files the user has agreed to, by content.
// Invariant: consent is to a text, not to a name: after any change it is needed again. The store is written whole or
// not at all; a store that cannot be read is an error and gives no consent. Not here: the question to the user
// (cli/policy_trust.cc), the access that a file requests (policy/narrowing.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "settings/files.h"

namespace pinfold::settings {

inline constexpr const char* kTrustStore = "trust.json";  // in config_directory()

struct Consent {
  std::string file;  // absolute
  std::string hash;  // "sha256:…" of its text
  std::string text;  // the text that the user agreed to, for the difference
  std::string at;    // when: "2026-01-31T12:00:00Z"
};

// "sha256:…"
std::string hash_of(std::string_view text);

class TrustStore {
 public:
  // An absent store is an empty one.
  static Result<TrustStore> read(const Caller& caller, HostView& host);

  const std::vector<Consent>& all() const { return all_; }
  const Consent* find(const std::string& file) const;
  bool covers(const PolicyFile& file) const;

 private:
  std::vector<Consent> all_;
};

// Adds or replaces the consent to this file's text as it is now.
Result<void> record_consent(const PolicyFile& file, const Caller& caller, HostView& host);
// Takes it back. False: there was none.
Result<bool> revoke_consent(const std::string& file, const Caller& caller, HostView& host);

}  // namespace pinfold::settings
