// protect.cc: protected names become steps, at the top of a writable root and where they exist below it.
// Invariant: an existing protected name is protected or counted as a gap; a name that an explicit rule makes writable
// is not.
// Not here: walking directories (search.cc), undoing changes that won a race (backend).
#include "plan/protect.h"

#include <algorithm>
#include <array>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "pinfold/coverage.h"
#include "plan/git_identity.h"
#include "plan/placeholder_mark.h"
#include "plan/plan_view.h"

namespace pinfold::plan {
namespace {

using std::string_view;
using text::shown;

constexpr std::size_t kMostNested = 64;
// Each part of a repository below the top is one mount. While bubblewrap is prepared each mount is a descriptor, and so
// is each directory above it; 1024 descriptors is the usual limit.
constexpr std::size_t kMostGitParts = 192;
constexpr std::size_t kMostClosed = 64;
constexpr std::size_t kMostWatched = 256;
constexpr std::size_t kMostGitDirectories = 1024;
constexpr std::size_t kLongestGitConfig = 64 * 1024;
constexpr string_view kGit = ".git";
// Directories in which git and git-lfs keep no repositories, and those that git_directory() searches.
constexpr auto kGitFolders =
    std::to_array<string_view>({"branches", "hooks", "info", "lfs", "logs", "modules", "objects", "rebase-apply",
                                "rebase-merge", "refs", "remotes", "sequencer", "worktrees"});

// The directories strictly between the root and the path: a rename of one would carry the mask away.
std::vector<std::string> pins_between(string_view root, string_view path) {
  std::vector<std::string> pins;
  for (string_view at = paths::parent(path); paths::beneath(at, root); at = paths::parent(at)) pins.emplace_back(at);
  std::reverse(pins.begin(), pins.end());
  return pins;
}

}  // namespace

Guards::Guards(Draft& draft) : draft_(draft) {
  for (const std::string& root : draft_.roots) {
    const policy::ScopeRule* above = draft_.scope.above(root);
    if (above != nullptr && above->access != Access::kHide) inner_roots_.insert(root);
  }
}

const ProtectRule& Guards::rule(std::int32_t index) const {
  return draft_.scope.policy().protect[static_cast<std::size_t>(index)];
}

bool Guards::lifted(const std::string& path) const { return draft_.scope.look_up(path).protection < 0; }

// Nested roots are mounts of their own, but their parents could be renamed too: pin from the outermost.
string_view Guards::outermost(string_view path) const {
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i] != '/') continue;
    const policy::ScopeRule* rule_here = draft_.scope.at(path.substr(0, i));
    if (rule_here != nullptr && rule_here->access == Access::kWrite) return rule_here->path;
  }
  return {};
}

void Guards::keep(const std::string& path, HostKind kind, std::int32_t by) {
  if (kind == HostKind::kSymlink) return linked(path, path, by);
  if (!lifted(path) && done_.insert(path).second) mask(path, kind, by);
}

void Guards::mask(const std::string& path, HostKind kind, std::int32_t by) {
  // Something inside is writable again: then the order of path steps must decide, not a mask on top of all.
  const auto inner = inner_roots_.lower_bound(path + "/");
  if (inner != inner_roots_.end() && paths::beneath(*inner, path)) {
    draft_.paths.push_back(
        Draft::step(ShowPath{path, path, draft_.view(Access::kRead), entry_kind(kind), Ensure::kExists, {}},
                    Need::kRequired, rule(by).origin));
    return;
  }
  protect(path, kind, by);
}

void Guards::protect(const std::string& path, HostKind kind, std::int32_t by) {
  draft_.guards.push_back(Draft::step(ProtectPath{path, entry_kind(kind), pins_between(outermost(path), path)},
                                      Need::kRequired, rule(by).origin));
}

// Part of a repository without being a protected name itself: the same thing in another place.
void Guards::keep_git(const std::string& path, HostKind kind, std::int32_t by) {
  // An explicit rule for this very path has the last word.
  if (draft_.scope.look_up(path).access != Access::kWrite || draft_.scope.at(path) != nullptr) return;
  if (kind == HostKind::kSymlink) return follow(path, path, by);
  if (done_.insert(path).second) mask(path, kind, by);
}

// Counts the protected paths below the top; past the bound they become a gap.
bool Guards::room_for(const std::string& path, std::int32_t by, Bound bound) {
  if (done_.count(path) != 0) return false;
  std::size_t& count = bound == Bound::kGitParts ? git_count_ : nested_count_;
  if (count < (bound == Bound::kGitParts ? kMostGitParts : kMostNested)) return ++count != 0;
  if (over_++ == 0) first_over_ = path;
  if (rule(by).origin.source != Source::kPreset) over_need_ = Need::kRequired;
  return false;
}

bool Guards::keep_closed(const std::string& directory) {
  std::string at;
  for (std::size_t end = directory.find('/', 1);; end = directory.find('/', end + 1)) {
    at = directory.substr(0, end);
    if (!draft_.host.executable(at) || (at.size() == directory.size() && !draft_.host.readable(at))) break;
    if (end == std::string::npos) return false;
  }
  if (done_.contains(at)) return true;
  const bool is_reachable = draft_.host.executable(at);
  if (draft_.host.kind(at) != HostKind::kDirectory) return !is_reachable;
  // Read-only, or owned by another user: no process inside can chmod it.
  if (draft_.scope.look_up(at).access != Access::kWrite || !draft_.host.owned(at)) return !is_reachable;
  // An explicit rule for this very path has the last word.
  const policy::ScopeRule* rule_here = draft_.scope.at(at);
  if ((rule_here != nullptr && rule_here->origin.source != Source::kPreset) || closed_count_ >= kMostClosed)
    return false;
  ++closed_count_;
  done_.insert(at);
  Origin origin = draft_.preset;
  origin.where = kClosedToOwner;
  draft_.guards.push_back(Draft::step(ProtectPath{at, EntryKind::kDirectory, pins_between(outermost(at), at)},
                                      Need::kRequired, std::move(origin)));
  return true;
}

// The kind of the file with this name. kUnreachable: a closed directory above it is read-only for the run, or it counts
// as not searched.
HostKind Guards::reach(const std::string& path, std::int32_t by) {
  const HostKind kind = draft_.host.reach(path);
  const std::string directory(paths::parent(path));
  if (kind == HostKind::kUnreachable && !keep_closed(directory)) note_unsearched(directory, by);
  return kind;
}

// A mount cannot mask a symlink: watch its name, and protect its target.
void Guards::linked(const std::string& link, const std::string& path, std::int32_t by) {
  if (!lifted(path)) follow(link, path, by);
}

void Guards::follow(const std::string& link, const std::string& path, std::int32_t by) {
  if (done_.insert(link).second)
    draft_.guards.push_back(Draft::step(
        ProtectName{std::string(paths::parent(link)), std::string(paths::basename(link)), NameGuard::kWatch, true},
        need_of(rule(by).origin), rule(by).origin));
  auto info = draft_.host.resolve(path);
  if (!info || draft_.scope.look_up(info->canonical).access != Access::kWrite) return;
  // A target that is itself a writable root: the user named it in a rule.
  if (draft_.scope.at(info->canonical) != nullptr || !done_.insert(info->canonical).second) return;
  protect(info->canonical, info->kind, by);
}

Result<void> Guards::missing(const std::string& parent, string_view name, const ProtectRule& by) {
  if (lifted(paths::join(parent, name))) return {};
  const bool explicit_rule = by.origin.source != Source::kPreset;
  draft_.guards.push_back(Draft::step(
      ProtectName{parent, std::string(name), explicit_rule ? NameGuard::kPlaceholder : NameGuard::kWatch, false},
      need_of(by.origin), by.origin));
  return {};
}

// Held by another run at this moment, or left by one that was killed: as good as missing, and shared.
bool Guards::is_placeholder(const std::string& path, HostKind kind, const ProtectRule& by) {
  if (kind != HostKind::kFile || by.origin.source == Source::kPreset) return false;
  auto text = draft_.host.read_file(path, kPlaceholderMark.size() + 1);
  return text && *text == kPlaceholderMark;
}

Result<void> Guards::top(const std::string& root, const Name& name, string_view first, HostKind kind) {
  const ProtectRule& by = rule(name.rule);
  std::string path = paths::join(root, first);
  if (name.rest.empty()) {
    if (kind == HostKind::kMissing || is_placeholder(path, kind, by)) return missing(root, first, by);
    keep(path, kind, name.rule);
    return {};
  }
  // ".git" as a file is a pointer to a repository elsewhere: as good as its configuration.
  if (first == kGit && kind == HostKind::kFile) {
    keep_git(path, kind, name.rule);
    return {};
  }
  const std::string whole = paths::join(path, name.rest);
  std::size_t begin = 0;
  while (kind == HostKind::kDirectory && begin < name.rest.size()) {
    const std::size_t end = std::min(name.rest.find('/', begin), name.rest.size());
    const std::string part = name.rest.substr(begin, end - begin);
    const std::string next = paths::join(path, part);
    kind = reach(next, name.rule);
    if (kind == HostKind::kUnreachable) return {};
    begin = end + 1;
    if (kind == HostKind::kMissing && begin >= name.rest.size()) return missing(path, part, by);
    path = next;
  }
  if (kind != HostKind::kMissing && begin >= name.rest.size()) {
    if (is_placeholder(path, kind, by)) return missing(std::string(paths::parent(path)), paths::basename(path), by);
    keep(path, kind, name.rule);
    return {};
  }
  if (kind == HostKind::kSymlink) {
    linked(path, whole, name.rule);
    return {};
  }
  if (first == kGit || by.origin.source == Source::kPreset) return {};  // CleanGit looks after a repository made later
  return fail(ErrorKind::kInvalid,
              shown(by.origin.where) + ": cannot protect " + shown(by.name) + " in " + shown(root) + ": " +
                  shown(path) + (kind == HostKind::kMissing ? " does not exist" : " is not a directory"),
              "create that directory first, or name the path as a whole");
}

Result<void> Guards::root(const std::string& root, const std::vector<HostEntry>& entries, ListingExtent listed) {
  const auto& names = draft_.scope.names();
  std::vector<const HostEntry*> present;
  for (const HostEntry& entry : entries)
    if (entry.name == kGit || names.starting_with(entry.name) != nullptr) present.push_back(&entry);
  // A root too large to list is asked for each name: its top is guarded for any size.
  const auto kind_of = [&](string_view name) {
    for (const HostEntry* entry : present)
      if (entry->name == name) return entry->kind;
    return listed == ListingExtent::kWhole ? HostKind::kMissing : draft_.host.kind(paths::join(root, name));
  };
  const HostKind git = kind_of(kGit);
  // In the order of the policy, so that plans read the same everywhere.
  std::int32_t index = 0;
  for (const ProtectRule& one : draft_.scope.policy().protect) {
    const std::int32_t mine = index++;
    if (one.name.empty() || one.name[0] == '/') continue;
    const string_view first = string_view(one.name).substr(0, one.name.find('/'));
    for (const Name& name : *names.starting_with(first)) {
      if (name.rule == mine) PF_CHECK(top(root, name, first, kind_of(first)));
    }
  }
  if (git == HostKind::kDirectory) git_directory(paths::join(root, kGit));
  draft_.guards.push_back(
      Draft::step(CleanGit{root, git != HostKind::kMissing, cleans_everything_}, Need::kBestEffort, draft_.preset));
  return {};
}

void Guards::keep_nested(const std::string& path, HostKind kind, std::int32_t by) {
  if (kind == HostKind::kMissing || kind == HostKind::kUnreachable || lifted(path)) return;
  if (room_for(path, by, Bound::kNames)) keep(path, kind, by);
}

// Each directory that is watched is held open: bounded like the others.
bool Guards::room_to_watch(const std::string& path) {
  const std::string parent(paths::parent(path));
  if (watched_.contains(parent)) return true;
  if (watched_.size() < kMostWatched) return watched_.insert(parent).second;
  if (over_++ == 0) first_over_ = path;
  return false;
}

void Guards::nested(const std::string& directory, const HostEntry& entry) {
  const auto* names = draft_.scope.names().starting_with(entry.name);
  if (names == nullptr) return;
  const std::string path = paths::join(directory, entry.name);
  for (const Name& name : *names) {
    if (name.rest.empty())
      keep_nested(path, entry.kind, name.rule);
    else if (entry.kind == HostKind::kSymlink)
      linked(path, paths::join(path, name.rest), name.rule);
    else if (entry.kind == HostKind::kDirectory && entry.name != kGit)
      keep_nested(paths::join(path, name.rest), reach(paths::join(path, name.rest), name.rule), name.rule);
    else if (entry.kind != HostKind::kDirectory && entry.name == kGit && room_for(path, name.rule, Bound::kGitParts))
      keep_git(path, entry.kind, name.rule);
  }
  if (entry.name != kGit || entry.kind != HostKind::kDirectory) return;
  git_parts(path, nullptr, Level::kBelow);
  git_directory(path);
}

// An explicit rule for this very path, or none that lets the run write there.
bool Guards::is_given_away(const std::string& path) const {
  const policy::ScopeLookup lookup = draft_.scope.look_up(path);
  return lookup.protection < 0 && (lookup.access != Access::kWrite || draft_.scope.at(path) != nullptr);
}

// All parts of a git directory, or none of them: of a directory with a protected part the host's cleaning keeps away.
void Guards::git_parts(const std::string& git, const std::vector<HostEntry>* entries, Level level) {
  const auto* names = draft_.scope.names().starting_with(kGit);
  if (names == nullptr) return;
  struct Part {
    std::string path;
    HostKind kind;
    std::int32_t by;
  };
  const auto kind_of = [&](const std::string& name, const std::string& path, std::int32_t by) {
    if (entries == nullptr || name.find('/') != std::string::npos) return reach(path, by);
    for (const HostEntry& entry : *entries)
      if (entry.name == name) return entry.kind;
    return HostKind::kMissing;
  };
  std::vector<Part> there;
  std::vector<Part> missing;
  std::size_t counted = 0;
  for (const Name& name : *names) {
    if (name.rest.empty()) continue;
    std::string path = paths::join(git, name.rest);
    if (done_.contains(path) || is_given_away(path)) continue;
    const HostKind kind = kind_of(name.rest, path, name.rule);
    if (kind == HostKind::kUnreachable) return;
    if (kind != HostKind::kMissing) {
      // Current versions of git do not write these; they do not count towards the bound.
      if (name.rest != "remotes" && name.rest != "branches") ++counted;
      there.push_back({std::move(path), kind, name.rule});
    } else if (name.rest.find('/') == std::string::npos) {
      missing.push_back({std::move(path), kind, name.rule});
    }
  }
  if (level == Level::kBelow && git_count_ + counted > kMostGitParts) {
    for (const Part& part : there) {
      if (over_++ == 0) first_over_ = part.path;
      if (rule(part.by).origin.source != Source::kPreset) over_need_ = Need::kRequired;
    }
    return;
  }
  if (level == Level::kBelow) git_count_ += counted;
  for (const Part& part : there) {
    if (part.kind == HostKind::kSymlink)
      follow(part.path, part.path, part.by);
    else if (done_.insert(part.path).second)
      mask(part.path, part.kind, part.by);
  }
  for (const Part& part : missing)
    if (level == Level::kTop || room_to_watch(part.path)) watch_name(part.path, part.by);
}

void Guards::git_store(const std::string& git, const std::vector<HostEntry>* entries, Level level) {
  git_parts(git, entries, level);
  git_directory(git);
  // A worktree's own directory: most settings lie in the common one.
  const auto text = draft_.host.read_file(paths::join(git, "commondir"), kLongestGitConfig);
  if (!text) return;
  const std::string common = text->substr(0, text->find_last_not_of("\r\n") + 1);
  if (common.empty()) return;
  const auto info = draft_.host.resolve(common[0] == '/' ? common : paths::join(git, common));
  if (info && info->kind == HostKind::kDirectory) git_parts(info->canonical, nullptr, Level::kBelow);
}

// Not a protected name by itself, but the command must not create it.
void Guards::watch(const std::string& path, std::int32_t by) {
  if (draft_.scope.look_up(path).access == Access::kWrite) watch_name(path, by);
}

void Guards::watch_name(const std::string& path, std::int32_t by) {
  if (!done_.insert(path).second) return;
  draft_.guards.push_back(Draft::step(
      ProtectName{std::string(paths::parent(path)), std::string(paths::basename(path)), NameGuard::kWatch, false},
      Need::kBestEffort, rule(by).origin));
}

// core.hooksPath, of the repository or of the user, can name another directory: relative to the work tree.
void Guards::keep_hooks_path(const std::string& git, std::int32_t by) {
  const std::string own =
      git_hooks_path(draft_.host.read_file(paths::join(git, "config"), kLongestGitConfig).value_or(""));
  // Hooks of a bare repository start in the repository itself.
  const string_view start = paths::basename(git) == kGit ? paths::parent(git) : string_view(git);
  for (const std::string& value : {own, users_hooks_path()}) keep_hooks_at(value, start, by);
}

// `start`: the directory at which a relative path starts; empty: relative paths are left out.
void Guards::keep_hooks_at(const std::string& value, string_view start, std::int32_t by) {
  std::string path;
  if (value.starts_with("~/"))
    path = paths::join(users_home(), string_view(value).substr(2));
  else if (value.starts_with('/'))
    path = value;
  else if (!value.empty() && value[0] != '~' && !start.empty())
    path = paths::join(start, value);
  if (path.empty()) return;
  path = paths::normal(path);
  if (draft_.scope.look_up(path).access != Access::kWrite) return;
  const HostKind kind = reach(path, by);
  if (kind == HostKind::kUnreachable) return;
  if (kind != HostKind::kMissing)
    keep_git(path, kind, by);
  else if (draft_.host.kind(std::string(paths::parent(path))) == HostKind::kDirectory)
    watch(path, by);
}

// As git expands "~".
std::string Guards::users_home() const { return draft_.host.variable("HOME").value_or(draft_.identity.home); }

const std::string& Guards::users_hooks_path() {
  if (users_hooks_path_) return *users_hooks_path_;
  users_hooks_path_.emplace();
  const std::string home = users_home();
  std::string config = draft_.host.variable("XDG_CONFIG_HOME").value_or("");
  if (config.empty() || config[0] != '/') config = paths::join(home, ".config");
  for (const std::string& file : {config + "/git/config", paths::join(home, ".gitconfig")}) {
    const auto text = draft_.host.read_file(file, kLongestGitConfig);
    std::string value = text ? git_hooks_path(*text) : std::string();
    if (!value.empty()) users_hooks_path_ = std::move(value);
  }
  return *users_hooks_path_;
}

void Guards::note_unsearched(const std::string& directory, std::int32_t by) {
  if (unsearched_.empty()) unsearched_ = directory;
  if (rule(by).origin.source != Source::kPreset) unsearched_need_ = Need::kRequired;
}

HostListing Guards::list(const std::string& directory, std::int32_t by) {
  auto listed = draft_.host.list_within(directory, {draft_.bounds.entries, end_});
  if (!listed) {
    if (listed.error().kind() == ErrorKind::kRefused && !keep_closed(directory)) note_unsearched(directory, by);
    return {};
  }
  listed_ += listed->entries.size();
  if (!listed->complete) note_unsearched(directory, by);
  return std::move(*listed);
}

void Guards::git_directory(const std::string& git) {
  const auto* names = draft_.scope.names().starting_with(kGit);
  if (names == nullptr) return;
  const std::int32_t by = names->front().rule;
  const auto keep_inner = [&](const std::string& path, HostKind kind) {
    if (kind != HostKind::kMissing && kind != HostKind::kSymlink && room_for(path, by, Bound::kGitParts))
      keep_git(path, kind, by);
  };
  const auto worktrees = [&](const std::string& git_dir) {
    const std::string all = paths::join(git_dir, "worktrees");
    const HostListing trees = list(all, by);
    for (const HostEntry& tree : trees.entries) {
      if (tree.kind != HostKind::kDirectory) continue;
      if (out_of_time()) return note_unsearched(all, by);
      for (const char* name : {"commondir", "gitdir", "config.worktree"}) {
        const std::string path = all + "/" + tree.name + "/" + name;
        const HostKind kind = reach(path, by);
        if (kind == HostKind::kUnreachable) break;
        keep_inner(path, kind);
        if (kind == HostKind::kMissing) watch(path, by);
      }
    }
  };
  worktrees(git);
  keep_hooks_path(git, by);
  // A repository somewhere else in it is found after the run.
  for (const HostEntry& entry : list(git, by).entries)
    if (entry.kind == HostKind::kDirectory &&
        std::find(kGitFolders.begin(), kGitFolders.end(), entry.name) == kGitFolders.end())
      clean_everything();
  std::vector<std::string> open{paths::join(git, "modules")};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::string directory = open[i];
    if (i >= kMostGitDirectories || out_of_time()) return note_unsearched(directory, by);
    const HostListing listed = list(directory, by);
    const std::vector<HostEntry>& entries = listed.entries;
    const bool repository =
        std::any_of(entries.begin(), entries.end(), [](const HostEntry& e) { return e.name == "HEAD"; });
    for (const HostEntry& entry : entries)
      if (entry.kind == HostKind::kDirectory && (!repository || entry.name == "modules"))
        open.push_back(paths::join(directory, entry.name));
    if (!repository) continue;
    git_parts(directory, listed.complete ? &entries : nullptr, Level::kBelow);
    worktrees(directory);
  }
}

Result<void> Guards::absolute() {
  // Every repository of the user's runs these hooks, wherever it is.
  if (const auto* names = draft_.scope.names().starting_with(kGit))
    keep_hooks_at(users_hooks_path(), {}, names->front().rule);
  for (const auto& one : draft_.scope.names().absolute()) {
    if (lifted(one.path)) continue;  // not writable anyway
    const HostKind kind = reach(one.path, one.rule);
    if (kind == HostKind::kUnreachable) continue;
    if (kind != HostKind::kMissing && !is_placeholder(one.path, kind, rule(one.rule)))
      keep(one.path, kind, one.rule);
    else
      PF_CHECK(missing(std::string(paths::parent(one.path)), paths::basename(one.path), rule(one.rule)));
  }
  return {};
}

void Guards::note_dependency(const std::string& path) {
  if (dependencies_++ == 0) dependency_ = path;
}

void Guards::clean_everything() {
  cleans_everything_ = true;
  for (Step& step : draft_.guards)
    if (auto* clean = std::get_if<CleanGit>(&step.body)) clean->always = true;
}

void Guards::finish() {
  if (over_ > 0 || !unsearched_.empty()) clean_everything();
  if (over_ > 0)
    draft_.gaps.push_back({step_name::kProtectedBelow, over_need_,
                           "more than " + std::to_string(kMostNested) + " protected names or " +
                               std::to_string(kMostGitParts) +
                               " parts of repositories exist below the writable directories; " + std::to_string(over_) +
                               " are not protected, the first is " + shown(first_over_),
                           kCleaned});
  if (!unsearched_.empty())
    draft_.gaps.push_back(
        {step_name::kProtectedBelow, unsearched_need_,
         "repositories inside .git were not all searched for: the search ended before " + shown(unsearched_),
         kCleaned});
  if (dependencies_ > 0)
    draft_.gaps.push_back(
        {step_name::kProtectedBelow, Need::kBestEffort,
         "protected names inside node_modules are left to the package manager, such as " + shown(dependency_)});
}

}  // namespace pinfold::plan
