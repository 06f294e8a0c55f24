// document.h: one policy file, read: its settings and its profiles, with every mistake at its place.
// Invariant: reading never stops at a mistake; valid parts are kept, so that the rest can be checked, too.
// Not here: notation (toml.cc), files (settings/), how documents come together (merge.cc).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/policy.h"
#include "policy/node.h"
#include "policy/setting.h"

namespace pinfold::policy {

struct Profile {
  std::string name;
  std::string where;
  std::optional<Setting> inherits;
  std::vector<Setting> settings;
};

struct Document {
  std::string file;  // as people should see it
  Source source = Source::kUserFile;
  Base base;
  std::optional<Setting> profile;
  std::optional<Setting> enabled;
  std::vector<Setting> settings;  // the top level's
  std::vector<Profile> profiles;
  std::vector<std::string> problems;
  std::optional<Setting> journal{};  // only of the user's own file

  const Profile* find(std::string_view name) const;
};

enum class Notation { kToml, kJson };

Document read_document(std::string_view text, Notation notation, const std::string& file, Source source, Base base);

}  // namespace pinfold::policy
