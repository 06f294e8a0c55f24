// access_table.cc: longest path first.
#include "backend/linux/landlock/access_table.h"

namespace pinfold::backend::on_linux {

void Ground::add(const std::string& path, Standing standing, const Origin& origin) {
  auto [found, is_new] = entries_.try_emplace(path, Entry{path, standing, origin});
  if (!is_new && found->second.standing < standing) found->second = Entry{path, standing, origin};
}

const Entry* Ground::at(std::string_view path) const {
  for (;;) {
    auto found = entries_.find(path);
    if (found != entries_.end()) return &found->second;
    if (path.size() <= 1) return nullptr;
    auto slash = path.rfind('/');
    if (slash == std::string_view::npos) return nullptr;
    path = slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
  }
}

bool Ground::may_change(std::string_view path) const {
  const Entry* entry = at(path);
  return entry != nullptr && entry->standing == Standing::kWritable;
}

const Entry* Ground::protection(std::string_view path) const {
  const Entry* entry = at(path);
  return entry != nullptr && entry->standing == Standing::kProtected ? entry : nullptr;
}

const Entry* Ground::protection_below(std::string_view path) const {
  const std::string prefix = std::string(path) + "/";
  for (auto found = entries_.lower_bound(prefix); found != entries_.end() && found->first.starts_with(prefix); ++found)
    if (found->second.standing == Standing::kProtected) return &found->second;
  return nullptr;
}

}  // namespace pinfold::backend::on_linux
