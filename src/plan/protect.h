// protect.h: protected names become steps, at the top of a writable root and where they exist below it.
// Invariant: an existing protected name is protected or counted as a gap; a name that an explicit rule makes writable
// is not.
// Not here: walking directories (search.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "plan/draft.h"

namespace pinfold::plan {

// Are these all the names of a directory?
enum class ListingExtent { kWhole, kInPart };

class Guards {
 public:
  explicit Guards(Draft& draft);

  // Repositories inside .git are searched until then (HostView::now_ms).
  void give_until(std::uint64_t end) { end_ = end; }
  // The top of a writable root, given its entries.
  Result<void> root(const std::string& root, const std::vector<HostEntry>& entries, ListingExtent listed);
  // An entry of a directory below a writable root.
  void nested(const std::string& directory, const HostEntry& entry);
  // A directory that git takes for a git directory, of any name: the same parts are protected as in `.git`.
  // `entries`: all of them, or null.
  enum class Level { kTop, kBelow };
  void git_store(const std::string& git, const std::vector<HostEntry>* entries, Level level);
  // Rules that name an absolute path.
  Result<void> absolute();
  // Makes a directory inside a writable root read-only for the run if the run's user owns it and cannot list or search
  // it, or the first such directory above it: a process inside could otherwise chmod it and change files that were not
  // looked at. False: it is not made read-only, and the run can open it.
  bool keep_closed(const std::string& directory);
  // Reports what was found but not protected.
  void finish();
  // Repositories that existed before the run may not be protected: its end judges each of them by what changed.
  void clean_everything();
  static constexpr const char* kCleaned =
      "when the run ends, hooks and settings that changed in git repositories there are disabled";

  // A protected name inside node_modules, which is left alone.
  void note_dependency(const std::string& path);
  // Entries seen inside .git; they count towards the bounds of the search.
  std::size_t listed() const { return listed_; }

 private:
  using Name = policy::ProtectedNameIndex::Name;
  const ProtectRule& rule(std::int32_t index) const;
  Result<void> top(const std::string& root, const Name& name, std::string_view first, HostKind kind);
  Result<void> missing(const std::string& parent, std::string_view name, const ProtectRule& by);
  bool is_placeholder(const std::string& path, HostKind kind, const ProtectRule& by);
  void watch(const std::string& path, std::int32_t by);
  void watch_name(const std::string& path, std::int32_t by);
  void keep_hooks_path(const std::string& git, std::int32_t by);
  void keep_hooks_at(const std::string& value, std::string_view start, std::int32_t by);
  std::string users_home() const;
  const std::string& users_hooks_path();
  void linked(const std::string& link, const std::string& path, std::int32_t by);
  void follow(const std::string& link, const std::string& path, std::int32_t by);
  void mask(const std::string& path, HostKind kind, std::int32_t by);
  void protect(const std::string& path, HostKind kind, std::int32_t by);
  void keep(const std::string& path, HostKind kind, std::int32_t by);
  void keep_nested(const std::string& path, HostKind kind, std::int32_t by);
  bool room_to_watch(const std::string& path);
  void keep_git(const std::string& path, HostKind kind, std::int32_t by);
  enum class Bound { kNames, kGitParts };
  bool room_for(const std::string& path, std::int32_t by, Bound bound);
  HostKind reach(const std::string& path, std::int32_t by);
  void git_parts(const std::string& git, const std::vector<HostEntry>* entries, Level level);
  bool is_given_away(const std::string& path) const;
  // The repositories that a .git directory holds for submodules and worktrees.
  void git_directory(const std::string& git);
  HostListing list(const std::string& directory, std::int32_t by);
  bool out_of_time() { return draft_.host.now_ms() >= end_; }
  void note_unsearched(const std::string& directory, std::int32_t by);
  bool lifted(const std::string& path) const;
  std::string_view outermost(std::string_view path) const;

  Draft& draft_;
  std::unordered_set<std::string> done_;
  std::set<std::string_view> inner_roots_;   // writable again inside something
  std::unordered_set<std::string> watched_;  // repositories below the top with a watch in them
  std::optional<std::string> users_hooks_path_;
  bool cleans_everything_ = false;
  std::size_t nested_count_ = 0;
  std::size_t git_count_ = 0;
  std::size_t closed_count_ = 0;
  std::size_t over_ = 0;
  std::string first_over_;
  Need over_need_ = Need::kBestEffort;
  std::string dependency_;
  std::size_t dependencies_ = 0;
  std::size_t listed_ = 0;
  std::uint64_t end_ = UINT64_MAX;
  std::string unsearched_;  // the first repository of repositories that was not searched to its end
  Need unsearched_need_ = Need::kBestEffort;
};

}  // namespace pinfold::plan
