// access_table.h: the access that is allowed at a path, where Landlock's rules alone cannot express it: the most
// specific entry decides.
// Invariant: pure; paths are canonical.
// Not here: Landlock's own rules (rules.cc), answering calls (metadata_broker.cc).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "pinfold/plan.h"

namespace pinfold::backend::on_linux {

enum class PathAccess { kWritable, kReadOnly, kProtected, kHidden };

struct AccessEntry {
  std::string path{};
  PathAccess access = PathAccess::kReadOnly;
  Origin origin{};
};

class AccessTable {
 public:
  // At equal paths the stricter access stays.
  void add(const std::string& path, PathAccess access, const Origin& origin);

  // Null: no entry for this path or any directory above it.
  const AccessEntry* at(std::string_view path) const;
  bool may_change(std::string_view path) const;
  // The entry that protects this path or a directory above it inside a writable directory; null: none.
  const AccessEntry* protection(std::string_view path) const;
  // A protected entry below this path; null: none.
  const AccessEntry* protection_below(std::string_view path) const;

 private:
  std::map<std::string, AccessEntry, std::less<>> entries_;
};

}  // namespace pinfold::backend::on_linux
