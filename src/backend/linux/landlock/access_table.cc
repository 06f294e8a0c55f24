// access_table.cc: finds the entry with the longest path.
#include "backend/linux/landlock/access_table.h"

namespace pinfold::backend::on_linux {

void AccessTable::add(const std::string& path, PathAccess access, const Origin& origin) {
  auto [found, is_new] = entries_.try_emplace(path, AccessEntry{path, access, origin});
  if (!is_new && found->second.access < access) found->second = AccessEntry{path, access, origin};
}

const AccessEntry* AccessTable::at(std::string_view path) const {
  for (;;) {
    auto found = entries_.find(path);
    if (found != entries_.end()) return &found->second;
    if (path.size() <= 1) return nullptr;
    auto slash = path.rfind('/');
    if (slash == std::string_view::npos) return nullptr;
    path = slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
  }
}

bool AccessTable::may_change(std::string_view path) const {
  const AccessEntry* entry = at(path);
  return entry != nullptr && entry->access == PathAccess::kWritable;
}

const AccessEntry* AccessTable::protection(std::string_view path) const {
  const AccessEntry* entry = at(path);
  return entry != nullptr && entry->access == PathAccess::kProtected ? entry : nullptr;
}

const AccessEntry* AccessTable::protection_below(std::string_view path) const {
  const std::string prefix = std::string(path) + "/";
  for (auto found = entries_.lower_bound(prefix); found != entries_.end() && found->first.starts_with(prefix); ++found)
    if (found->second.access == PathAccess::kProtected) return &found->second;
  return nullptr;
}

}  // namespace pinfold::backend::on_linux
