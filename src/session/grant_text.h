// grant_text.h: one file of the grant store as JSON, parsed strictly.
// Invariant: bytes that are not UTF-8 are preserved; a missing or unknown key and another version are errors.
// Not here: files, locks and owners (grant_store.cc), the check of a grant (policy/grants.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "session/grant_store.h"

namespace pinfold::session {

inline constexpr std::size_t kMostGrants = 1000;  // in one file

struct GrantFile {
  std::optional<std::string> project;
  std::vector<StoredGrant> grants;
};

Result<GrantFile> parse_grants(const std::string& text);
std::string print_grants(const GrantFile& file);

// "read", "write", "net".
std::string_view kind_word(Grant::Kind kind);

}  // namespace pinfold::session
