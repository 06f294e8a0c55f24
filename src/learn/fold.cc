// fold.cc: from the deepest directory upwards.
#include "learn/fold.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/paths.h"

namespace pinfold::learn {
namespace {

using std::string_view;

// From this many names on, the directory itself is granted.
constexpr std::size_t kSeveral = 3;

// "1.2", "v18.0.1", "python3.11": the next version must not be granted by this one.
bool is_version(string_view name) {
  const std::size_t digit = name.find_first_of("0123456789");
  return digit != string_view::npos &&
         (digit == 0 || (digit == 1 && name[0] == 'v') || name.find('.', digit) != string_view::npos) &&
         name.find_first_not_of("0123456789.-_", digit) == string_view::npos;
}

bool is_private_tmp(string_view path) { return path == "/tmp" || path == "/var/tmp" || path == "/dev/shm"; }

// Every directory above a grant, the deepest first.
std::vector<std::string> directories_of(const Grants& grants) {
  std::set<std::string> all;
  for (const auto& [path, users] : grants)
    paths::each_at_or_above(paths::parent(path), [&](string_view one) { all.emplace(one); });
  std::vector<std::string> out(all.begin(), all.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return paths::depth(a) > paths::depth(b); });
  return out;
}

// The names in the directory with a grant at most `steps` levels below it.
std::set<string_view> names_in(const std::string& directory, const Grants& grants, std::size_t steps) {
  std::set<string_view> out;
  for (auto it = grants.upper_bound(directory); it != grants.end(); ++it) {
    if (!paths::beneath(it->first, directory)) {
      if (!string_view(it->first).starts_with(directory)) break;
      continue;
    }
    const string_view below = paths::relative(it->first, directory);
    if (paths::depth(it->first) - paths::depth(directory) > steps) continue;
    const string_view name = below.substr(0, below.find('/'));
    if (!is_version(name)) out.insert(name);
  }
  return out;
}

void merge_into(const std::string& directory, Grants& grants) {
  std::map<std::string, std::uint64_t> users;
  for (auto it = grants.begin(); it != grants.end();) {
    if (!paths::at_or_beneath(it->first, directory)) {
      ++it;
      continue;
    }
    for (const auto& [program, count] : it->second) users[program] += count;
    it = grants.erase(it);
  }
  grants[directory] = std::move(users);
}

}  // namespace

bool Bounds::may_grant(const std::string& directory) {
  if (directory == "/" || is_private_tmp(directory)) return false;
  if (!home().empty() && paths::at_or_beneath(home(), directory)) return false;
  if (std::any_of(workspaces_.begin(), workspaces_.end(),
                  [&](const std::string& one) { return paths::at_or_beneath(one, directory); }))
    return false;
  const auto [known, added] = holds_secrets_.try_emplace(directory, false);
  if (added) known->second = secrets_.is_secret(directory) || secrets_.holds_secrets(directory);
  return !known->second;
}

void fold(Grants& grants, Bounds& bounds) {
  // A path below a granted directory needs no rule of its own.
  for (const std::string& directory : directories_of(grants))
    if (grants.contains(directory)) merge_into(directory, grants);
  for (const std::string& directory : directories_of(grants)) {
    // Entries at the top level, or right below a home, are unrelated to each other.
    const bool shallow = paths::depth(directory) < 2 || paths::parent(directory) == bounds.home();
    if (paths::depth(directory) < 2 || names_in(directory, grants, shallow ? 1 : 2).size() < kSeveral) continue;
    if (bounds.may_grant(directory)) merge_into(directory, grants);
  }
}

}  // namespace pinfold::learn
