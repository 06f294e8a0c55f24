// access_table.h: what may be done at a path, where Landlock's rules alone cannot say it: the most specific entry decides.
// Invariant: pure; paths are canonical. Not here: Landlock's own rules (rules.cc), asking (metadata_broker.cc).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "pinfold/plan.h"

namespace pinfold::backend::on_linux {

enum class Standing { kWritable, kReadOnly, kProtected, kHidden };

struct Entry {
  std::string path{};
  Standing standing = Standing::kReadOnly;
  Origin origin{};
};

class Ground {
 public:
  // At equal paths the stricter stays.
  void add(const std::string& path, Standing standing, const Origin& origin);

  // Null: nothing is known of this path or of anything above it.
  const Entry* at(std::string_view path) const;
  bool may_change(std::string_view path) const;
  // Itself or something above it is to stay as it is, though it lies in a writable directory.
  const Entry* protection(std::string_view path) const;
  // Something below it is.
  const Entry* protection_below(std::string_view path) const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace pinfold::backend::on_linux
