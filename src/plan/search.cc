// search.cc: one bounded breadth-first walk that finds the paths that patterns hide and the protected names that exist.
// Invariant: a directory that was not searched is named: as a gap for presets, as an error if a user's own pattern
// needed it; the bounds hold inside a directory, too. Not here: matching (base/glob.h), steps for protected
// names (protect.cc).
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <set>
#include <unordered_map>

#include "base/git_layout.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/text_map.h"
#include "base/try.h"
#include "pinfold/coverage.h"
#include "plan/draft.h"
#include "plan/protect.h"
#include "policy/resolver.h"

namespace pinfold::plan {
namespace {

using policy::PatternSet;
using std::string_view;
using text::shown;

// How many entries are looked at between two looks at the clock.
constexpr std::size_t kBetweenClocks = 16;
// At least this many names of a root are examined, without regard to the time limit: sorted, dot names first.
constexpr std::size_t kAlwaysAtTheTop = 256;
constexpr std::size_t kNamedInGap = 3;

// Large, made by tools and made anew by them: searched after everything else, so that a project's own files are found
// within the bounds.
bool is_searched_last(string_view name) {
  constexpr auto kNames = std::to_array<string_view>({"node_modules", "bower_components", "vendor", "target", "build",
                                                      "dist", "out", ".venv", "venv", "site-packages", "__pycache__",
                                                      ".tox", ".nox", ".cache", ".gradle", ".next", ".terraform"});
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// The rules that apply inside a directory.
struct SearchContext {
  std::vector<const std::string*> workspaces;  // patterns are relative to each of these
  const std::string* root = nullptr;           // the writable root whose protected names count here
  bool absolute = false;                       // absolute patterns may match here
  bool dependencies = false;                   // inside node_modules
  bool last = false;                           // inside something that is searched last
};
struct QueuedDirectory {
  std::string path;
  SearchContext context;
};

class Search {
 public:
  explicit Search(Draft& draft)
      : draft_(draft), scope_(draft.scope), guards_(draft), guarding_(!draft.scope.policy().protect.empty()) {}

  Result<void> run() {
    end_ = draft_.host.now_ms() + draft_.bounds.milliseconds;
    guards_.give_until(end_);
    for (const std::string& root : draft_.roots) roots_.emplace(root, &root);
    if (scope_.patterns().any_absolute()) find_prefixes();
    if (guarding_)
      for (const std::string& root : draft_.roots) seed(root);
    if (scope_.patterns().any_relative())
      for (const std::string& workspace : scope_.workspaces()) seed(workspace);
    seed_absolute();
    if (guarding_) PF_CHECK(guards_.absolute());
    // Roots come first and are listed without regard to the bounds: their tops are always guarded.
    const std::size_t roots = queue_.size();
    for (std::size_t i = 0; i < roots; ++i) {
      PF_CHECK(visit(queue_.front(), Kind::kSeed));
      queue_.pop_front();
    }
    for (std::deque<QueuedDirectory>* open : {&queue_, &last_}) {
      while (!open->empty() && !exceeded()) {
        PF_CHECK(visit(open->front(), Kind::kBelow));
        open->pop_front();
      }
      for (const QueuedDirectory& left : *open) note_unsearched(left);
    }
    guards_.finish();
    return report();
  }

 private:
  enum class Kind { kSeed, kBelow };
  enum class HostUse { kNone, kQueried };

  SearchContext context_of(const std::string& path) const {
    SearchContext context;
    if (scope_.patterns().any_relative())
      scope_.each_workspace_around(path, [&](const std::string& one) { context.workspaces.push_back(&one); });
    if (guarding_ && scope_.look_up(path).access == Access::kWrite) {
      for (string_view at = path; context.root == nullptr; at = paths::parent(at)) {
        const auto root = roots_.find(at);
        if (root != roots_.end()) context.root = root->second;
        if (at == "/") break;
      }
    }
    context.absolute = absolute_here(path);
    return context;
  }
  // Can an absolute pattern match below this directory?
  bool absolute_here(string_view path) const {
    if (prefixes_.empty()) return false;
    const auto below = prefixes_.lower_bound(paths::join(path, ""));
    return (below != prefixes_.end() && paths::at_or_beneath(*below, path)) || below_prefix(path);
  }
  bool below_prefix(string_view path) const {
    bool found = false;
    paths::each_at_or_above(path, [&](string_view above) { found = found || prefixes_.contains(above); });
    return found;
  }
  void seed(const std::string& path) {
    if (seeds_.insert(path).second) queue_.push_back({path, context_of(path)});
  }
  void find_prefixes() {
    policy::Resolver resolver(draft_.host);
    for (const std::string& prefix : scope_.patterns().absolute_prefixes()) {
      auto info = resolver.resolve(prefix);
      if (info && info->kind == HostKind::kDirectory) prefixes_.insert(std::move(info->canonical));
    }
  }
  void seed_absolute() {
    if (prefixes_.empty()) return;
    for (const std::string& prefix : prefixes_)
      if (draft_.visible(prefix)) seed(prefix);
    for (const auto& rule : scope_.rules())
      if (rule.access != Access::kHide && rule.kind == HostKind::kDirectory && rule.path != "/" &&
          below_prefix(paths::parent(rule.path)) && !draft_.visible(paths::parent(rule.path)))
        seed(rule.path);
  }
  std::size_t entries_left() const {
    const std::size_t seen = entries_ + guards_.listed();
    return seen < draft_.bounds.entries ? draft_.bounds.entries - seen : 0;
  }
  bool out_of_time() { return draft_.host.now_ms() >= end_; }
  bool exceeded() { return entries_left() == 0 || out_of_time(); }
  void note_unsearched(const QueuedDirectory& open) {
    if (unsearched_count_++ < kNamedInGap) unsearched_ += (unsearched_.empty() ? "" : ", ") + shown(open.path);
    missed_relative_ = missed_relative_ || !open.context.workspaces.empty();
    missed_absolute_ = missed_absolute_ || open.context.absolute;
    missed_names_ = missed_names_ || (open.context.root != nullptr && !open.context.dependencies);
  }

  Result<void> visit(const QueuedDirectory& open, Kind kind) {
    auto listed = draft_.host.list_within(open.path, {entries_left(), end_});
    if (!listed) return visit_closed(open, kind);
    std::vector<HostEntry>& entries = listed->entries;
    entries_ += entries.size();
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    const bool top = open.context.root != nullptr && *open.context.root == open.path;
    if (top && kind == Kind::kSeed)
      PF_CHECK(guards_.root(open.path, entries, listed->complete ? ListingExtent::kWhole : ListingExtent::kInPart));
    if (open.context.root != nullptr) look_for_git(open, *listed, top ? Guards::Level::kTop : Guards::Level::kBelow);
    bool whole = listed->complete;
    const std::size_t always = kind == Kind::kSeed ? kAlwaysAtTheTop : 1;
    std::size_t next_clock = std::max(always, kBetweenClocks);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i == next_clock) {
        next_clock += kBetweenClocks;
        if (out_of_time()) {
          whole = false;
          break;
        }
      }
      // A query to the host may have taken long, so the clock is read again.
      if (look_at(open, entries[i]) == HostUse::kQueried) next_clock = std::max(always, i + 1);
    }
    if (!whole) note_unsearched(open);
    return {};
  }

  // Neither the command nor Pinfold can list it. A process inside that owns it could chmod it, so that it is made
  // read-only; known names in it can still be opened if it can be searched.
  Result<void> visit_closed(const QueuedDirectory& open, Kind kind) {
    const bool is_searchable = draft_.host.executable(open.path);
    const bool top = open.context.root != nullptr && *open.context.root == open.path;
    const bool stays = open.context.root != nullptr && !(top && is_searchable) && guards_.keep_closed(open.path);
    if (top && kind == Kind::kSeed && !stays) {
      PF_CHECK(guards_.root(open.path, {}, ListingExtent::kInPart));
      look_for_git(open, {{}, false}, Guards::Level::kTop);
    }
    if (open.context.root != nullptr ? stays && !is_searchable : !is_searchable) return {};
    QueuedDirectory left = open;
    if (stays) left.context.root = nullptr;  // nothing in it can be made or changed
    note_unsearched(left);
    return {};
  }

  // Git takes a directory for its own by the names in it, not by its own name.
  void look_for_git(const QueuedDirectory& open, const HostListing& listed, Guards::Level level) {
    git::Layout layout;
    for (const HostEntry& entry : listed.entries) layout.note(entry.name);
    if (!listed.complete && level == Guards::Level::kTop)
      for (const string_view name : git::kLayoutNames)
        if (draft_.host.kind(paths::join(open.path, name)) != HostKind::kMissing) layout.note(name);
    const bool named = level == Guards::Level::kTop && paths::basename(open.path) == ".git";
    if (!layout.is_git_directory() && !named) return;
    if (open.context.dependencies) {
      guards_.note_dependency(open.path);
      guards_.clean_everything();
    } else {
      guards_.git_store(open.path, listed.complete ? &listed.entries : nullptr, level);
    }
  }

  HostUse look_at(const QueuedDirectory& open, const HostEntry& entry) {
    if (hide(open, entry)) return HostUse::kQueried;
    HostUse use = HostUse::kNone;
    const auto* names = open.context.root == nullptr ? nullptr : scope_.names().starting_with(entry.name);
    if (names != nullptr && *open.context.root != open.path) {  // the top of a root is not below it
      use = HostUse::kQueried;
      if (!open.context.dependencies)
        guards_.nested(open.path, entry);
      else if (names->front().rest.empty() || entry.kind != HostKind::kFile)
        guards_.note_dependency(paths::join(open.path, entry.name));
      if (open.context.dependencies && entry.name == ".git") guards_.clean_everything();
    }
    if (entry.kind == HostKind::kDirectory) descend(open, entry);
    return use;
  }

  void descend(const QueuedDirectory& open, const HostEntry& entry) {
    if (entry.name == ".git") return;  // git's own; its repositories inside are looked after by Guards
    std::string path = paths::join(open.path, entry.name);
    if (seeds_.count(path) != 0) return;
    SearchContext context = open.context;
    if (const auto* rule = scope_.at(path)) {
      if (rule->access == Access::kHide) return;
      context = context_of(path);
      context.dependencies = open.context.dependencies;
      context.last = open.context.last;
    }
    context.absolute = context.absolute && absolute_here(path);
    if (entry.name == policy::kDependencies) context.dependencies = true;
    // Inside a protected directory nothing is writable.
    if (context.root != nullptr && scope_.names().starting_with(entry.name) != nullptr &&
        scope_.look_up(path).access != Access::kWrite)
      context.root = nullptr;
    if (context.workspaces.empty() && context.root == nullptr && !context.absolute) return;
    context.last = context.last || is_searched_last(entry.name);
    std::deque<QueuedDirectory>& queue = context.last ? last_ : queue_;
    queue.push_back({std::move(path), std::move(context)});
  }

  // Hides the entry if a pattern matches; true if it is hidden.
  bool hide(const QueuedDirectory& open, const HostEntry& entry) {
    bool hit = false;
    if (!open.context.workspaces.empty() || open.context.absolute) {
      full_.assign(open.path);
      if (full_.back() != '/') full_ += '/';
      full_ += entry.name;
      for (const std::string* workspace : open.context.workspaces)
        hit = hit || scope_.patterns().match(entry.name, paths::relative(full_, *workspace)) != PatternSet::kNone;
      hit = hit || (open.context.absolute && scope_.patterns().match_absolute(full_) != PatternSet::kNone);
    }
    if (!hit) return false;
    // The one function decides: an explicit rule may show it after all.
    policy::ScopeLookup lookup = scope_.look_up(full_);
    if (lookup.pattern < 0) return false;
    const HidePattern& pattern = scope_.policy().patterns[static_cast<std::size_t>(lookup.pattern)];
    std::string at = full_;
    HostKind kind = entry.kind;
    if (kind == HostKind::kSymlink) {
      // A mount cannot mask a symlink, but it can mask the target inside the same workspace.
      auto info = draft_.host.resolve(full_);
      if (!info || !inside(open.context, info->canonical) || scope_.look_up(info->canonical).access == Access::kHide)
        return true;
      at = std::move(info->canonical);
      kind = info->kind;
    }
    if (hidden_.insert(at).second)
      draft_.paths.push_back(Draft::step(HidePath{std::move(at), entry_kind(kind), pattern.glob},
                                         need_of(pattern.origin), pattern.origin));
    return true;
  }
  static bool inside(const SearchContext& context, const std::string& path) {
    return std::any_of(context.workspaces.begin(), context.workspaces.end(),
                       [&](const std::string* workspace) { return paths::beneath(path, *workspace); });
  }

  Result<void> report() {
    if (unsearched_count_ == 0) return {};
    std::string where = unsearched_;
    if (unsearched_count_ > kNamedInGap)
      where += " and " + std::to_string(unsearched_count_ - kNamedInGap) + " more directories";
    if (missed_relative_ || missed_absolute_) {
      for (const HidePattern& pattern : scope_.policy().patterns)
        if (pattern.origin.source != Source::kPreset && (pattern.glob[0] == '/' ? missed_absolute_ : missed_relative_))
          return fail(ErrorKind::kUnavailable,
                      shown(pattern.origin.where) + ": the pattern " + shown(pattern.glob) +
                          " cannot be applied everywhere: the search ended before " + where + " (" +
                          std::to_string(entries_) + " entries seen)",
                      "name the files with --hide PATH, or hide a whole directory");
      draft_.gaps.push_back(
          {step_name::kPatterns, Need::kBestEffort, "not searched: " + where + ", and everything below"});
    }
    if (missed_names_) {
      guards_.clean_everything();
      Need need = Need::kBestEffort;
      for (const ProtectRule& rule : scope_.policy().protect)
        if (!rule.name.empty() && rule.name[0] != '/' && rule.origin.source != Source::kPreset) need = Need::kRequired;
      draft_.gaps.push_back(
          {step_name::kProtectedBelow, need,
           "protected names below the top were not searched for in " + where + ", and everything below",
           Guards::kCleaned});
    }
    return {};
  }

  Draft& draft_;
  const policy::Scope& scope_;
  Guards guards_;
  bool guarding_;
  std::deque<QueuedDirectory> queue_;
  std::deque<QueuedDirectory> last_;  // after that
  std::unordered_map<string_view, const std::string*> roots_;
  std::set<std::string, std::less<>> prefixes_;  // of absolute patterns, canonical
  TextSet seeds_;
  TextSet hidden_;
  std::string full_;
  std::size_t entries_ = 0;
  std::uint64_t end_ = 0;
  std::string unsearched_;  // the first few, for people
  std::size_t unsearched_count_ = 0;
  bool missed_relative_ = false;
  bool missed_absolute_ = false;
  bool missed_names_ = false;
};

}  // namespace

Result<void> add_search(Draft& draft) { return Search(draft).run(); }

}  // namespace pinfold::plan
