// protected_name_index.cc: finds names by their first component, and absolute paths by each of their parents.
// Invariant: one pass over the path, one look-up for each component.
// Not here: whether the names exist (plan/protect.cc).
#include "policy/protected_name_index.h"

#include "base/paths.h"

namespace pinfold::policy {

void ProtectedNameIndex::add(std::string_view name, std::int32_t rule, int rank) {
  const std::size_t slash = name.find('/');
  std::string rest(slash == std::string_view::npos ? std::string_view{} : name.substr(slash + 1));
  auto& names = by_first_[std::string(name.substr(0, slash))];
  for (Name& known : names) {
    if (known.rest != rest) continue;
    if (rank > known.rank) known = {std::move(rest), rule, rank};
    return;
  }
  names.push_back({std::move(rest), rule, rank});
}

void ProtectedNameIndex::add_absolute(std::string canonical, std::int32_t rule, int rank) {
  absolute_at_[canonical].push_back(absolute_.size());
  absolute_.push_back({std::move(canonical), rule, rank});
}

const std::vector<ProtectedNameIndex::Name>* ProtectedNameIndex::starting_with(std::string_view component) const {
  const auto it = by_first_.find(component);
  return it == by_first_.end() ? nullptr : &it->second;
}

ProtectedNameIndex::Match ProtectedNameIndex::find(std::string_view path, std::string_view root) const {
  Match best;
  const auto offer = [&](std::int32_t rule, std::size_t end, int rank) {
    if (best.rule == kNone || end > best.end || (end == best.end && rank > best.rank)) best = {rule, end, rank};
  };
  if (!absolute_.empty())
    paths::each_at_or_above(path, [&](std::string_view prefix) {
      const auto found = absolute_at_.find(prefix);
      if (found == absolute_at_.end() || !paths::beneath(prefix, root)) return;
      for (const std::size_t index : found->second) offer(absolute_[index].rule, prefix.size(), absolute_[index].rank);
    });
  if (by_first_.empty() || !paths::beneath(path, root)) return best;
  for (std::size_t begin = root == "/" ? 1 : root.size() + 1; begin < path.size();) {
    std::size_t end = path.find('/', begin);
    if (end == std::string_view::npos) end = path.size();
    const std::string_view component = path.substr(begin, end - begin);
    if (const auto* names = starting_with(component)) {
      for (const Name& name : *names) {
        const std::string_view after = end < path.size() ? path.substr(end + 1) : std::string_view{};
        if (name.rest.empty())
          offer(name.rule, end, name.rank);
        else if (after == name.rest ||
                 (after.size() > name.rest.size() && after[name.rest.size()] == '/' && after.starts_with(name.rest)))
          offer(name.rule, end + 1 + name.rest.size(), name.rank);
      }
    }
    if (component == kDependencies) break;
    begin = end + 1;
  }
  return best;
}

}  // namespace pinfold::policy
