// scope_build.cc: a policy's path rules become canonical, or the scope is refused.
// Invariant: no rule is dropped silently except a preset's optional path; no symlink that a sandboxed command could
// have made grants more access. Not here: deciding about a path (scope.cc).
#include <algorithm>
#include <array>
#include <deque>
#include <unordered_set>

#include "base/paths.h"
#include "base/text.h"
#include "policy/own_directories.h"
#include "policy/presets.h"
#include "policy/print.h"
#include "policy/rank.h"
#include "policy/resolver.h"
#include "policy/scope.h"

namespace pinfold::policy {
namespace {

// An entry of a policy file that may be missing on the host.
std::string optional_entry(const std::string& path) { return "{ path = " + toml_string(path) + ", optional = true }"; }

using paths::at_or_beneath;
using std::string_view;
using text::shell_word;
using text::shown;

string_view flag_for(Access access) {
  return access == Access::kHide ? "--hide" : access == Access::kRead ? "--read" : "--write";
}

bool from_flag(const PathRule& rule) { return rule.origin.source >= Source::kFlag; }

struct ResolvedRule {
  const PathRule* rule = nullptr;
  HostPathInfo info;
};

}  // namespace

class Scope::Builder {
 public:
  Builder(const Policy& policy, HostView& host) : policy_(policy), host_(host), resolver_(host) {}

  Result<Scope> run() {
    scope_.policy_ = policy_;
    auto patterns = PatternSet::build(policy_.patterns);
    if (!patterns) return tl::unexpected<Error>(std::move(patterns).error());
    scope_.patterns_ = std::move(*patterns);
    find_own();
    resolve_all();
    protections();
    for (const ResolvedRule& one : found_)
      if (one.rule->workspace) {
        scope_.workspace_index_.emplace(one.info.canonical, scope_.workspaces_.size());
        scope_.workspaces_.push_back(one.info.canonical);
      }
    sort_out_links();
    leave_out_own();
    for (const ResolvedRule& one : found_)
      if (one.rule->workspace) check_workspace(one);
    if (!problems_.empty()) return refuse();
    take(found_);
    check_own_links();
    if (!problems_.empty()) return refuse();
    for (const ResolvedRule& one : found_)
      if (one.rule->access != Access::kHide) keep_links(one.info.links);
    return std::move(scope_);
  }

 private:
  void problem(ErrorKind kind, const Origin& origin, std::string what, std::string fix) {
    if (kind == ErrorKind::kRefused) kind_ = kind;
    const std::string where = origin.where.empty() ? std::string() : shown(origin.where) + ": ";
    problems_.emplace_back(where + std::move(what), std::move(fix));
  }

  tl::unexpected<Error> refuse() {
    if (problems_.size() == 1) return fail(kind_, std::move(problems_[0].first), std::move(problems_[0].second));
    std::string all;
    for (const auto& [what, fix] : problems_)
      all += (all.empty() ? "" : "\n") + what + (fix.empty() ? "" : " (" + fix + ")");
    return fail(kind_, std::move(all));
  }

  // Pinfold's own directories: hidden by a rule for each, which no other rule at or below it can lift.
  void find_own() {
    if (policy_.profile == kFullAccessPreset) return;
    for (OwnDirectory& one : own_directories(host_)) {
      auto info = resolver_.resolve(one.path);
      if (info) {
        for (const HostLink& link : info->links) own_links_.emplace_back(link.at, one.what);
      } else {
        std::vector<std::string> links;
        info = HostPathInfo{canonical_path(one.path, host_, &links).value_or(one.path), HostKind::kMissing, {}};
        for (std::string& link : links) own_links_.emplace_back(std::move(link), one.what);
      }
      const bool known = std::any_of(
          own_.begin(), own_.end(), [&](const ResolvedRule& other) { return other.info.canonical == info->canonical; });
      if (known || info->canonical == "/") continue;
      own_rules_.push_back(
          {one.path, Access::kHide, Missing::kSkip, {Source::kPreset, std::move(one.what)}, false, true});
      own_.push_back({&own_rules_.back(), std::move(*info)});
    }
  }

  // A mount hides where a link leads, and cannot keep the link: with another in its place the next run would read
  // settings that the command wrote.
  void check_own_links() {
    std::unordered_set<string_view> seen;
    for (const auto& [link, what] : own_links_) {
      const ScopeLookup found = scope_.look_up(link);
      if (found.access != Access::kWrite || found.rule < 0 || !seen.insert(link).second) continue;
      const ScopeRule& rule = scope_.rules_[static_cast<std::size_t>(found.rule)];
      const std::string target = canonical_path(link, host_).value_or(link);
      const std::string place = shell_word(link);
      const bool there = host_.kind(target) == HostKind::kDirectory;
      problem(ErrorKind::kRefused, rule.origin,
              "the symbolic link " + shown(link) + " -> " + shown(target) + " leads to " + what +
                  ", and the command could replace it: it may write " + shown(rule.path),
              "let it write less than " + shown(rule.path) + ", or put a directory in place of the link: rm " + place +
                  (there ? " && cp -a " + shell_word(target) + " " + place : " && mkdir " + place));
    }
  }

  // The own directory that this path is, or lies in, or null.
  const ResolvedRule* own_around(string_view path) const {
    for (const ResolvedRule& one : own_)
      if (at_or_beneath(path, one.info.canonical)) return &one;
    return nullptr;
  }

  void leave_out_own() {
    std::erase_if(found_, [&](const ResolvedRule& one) {
      const ResolvedRule* own = one.rule->own ? nullptr : own_around(one.info.canonical);
      if (own == nullptr) return false;
      if (one.rule->access != Access::kHide && one.rule->missing == Missing::kError) own_problem(*one.rule, *own);
      return true;
    });
  }

  void own_problem(const PathRule& rule, const ResolvedRule& own) {
    problem(ErrorKind::kInvalid, rule.origin,
            shown(rule.path) + " is in " + shown(own.info.canonical) + " (" + own.rule->origin.where +
                "), which no sandbox shows",
            rule.workspace ? "run from a project directory, or name one with --workspace DIR"
                           : "leave it out: Pinfold's own directories cannot be granted; copy a file to another place");
  }

  void resolve_all() {
    found_.reserve(policy_.paths.size());
    for (const PathRule& rule : policy_.paths) {
      auto info = resolver_.resolve(rule.path);
      if (info) {
        found_.push_back({&rule, std::move(*info)});
        continue;
      }
      if (rule.missing == Missing::kSkip) continue;
      const std::string path = shown(rule.path);
      info = host_.resolve(rule.path);  // for its error text: missing, or not accessible
      if (info) {
        found_.push_back({&rule, std::move(*info)});
        continue;
      }
      const ResolvedRule* own =
          rule.access == Access::kHide ? nullptr : own_around(canonical_path(rule.path, host_).value_or(rule.path));
      if (own != nullptr) {
        own_problem(rule, *own);
      } else if (info.error().kind() != ErrorKind::kNotFound) {
        problem(ErrorKind::kInvalid, rule.origin, "cannot reach " + path + ": " + info.error().text(),
                "check the path");
      } else if (rule.access == Access::kHide) {
        const std::string pattern = "**/" + std::string(paths::basename(rule.path));
        problem(ErrorKind::kInvalid, rule.origin, "cannot hide " + path + ": it does not exist",
                from_flag(rule) ? "use a pattern: --hide " + shell_word(pattern)
                                : "use a pattern (" + toml_string(pattern) + "), or " + optional_entry(rule.path));
      } else {
        problem(ErrorKind::kInvalid, rule.origin, path + " does not exist",
                rule.workspace    ? "create it, or name another with --workspace DIR"
                : from_flag(rule) ? "create it first, or leave out " + std::string(flag_for(rule.access))
                                  : "create it first, or write " + optional_entry(rule.path));
      }
    }
    for (const ResolvedRule& one : found_)
      if (one.rule->access == Access::kWrite) writable_.insert(one.info.canonical);
  }

  // The outermost writable root that strictly contains the path, or empty.
  string_view root_around(string_view path) const {
    if (path.size() > 1 && writable_.count("/") != 0) return "/";
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (path[i] != '/') continue;
      const auto it = writable_.find(std::string(path.substr(0, i)));
      if (it != writable_.end()) return *it;
    }
    return {};
  }

  // The first link on the way that a sandboxed command could have made; `leaves`: whether it leads out of its root.
  const HostLink* planted(const std::vector<HostLink>& links, bool& leaves) const {
    const HostLink* first = nullptr;
    for (const HostLink& link : links) {
      const string_view root = root_around(link.at);
      if (root.empty()) continue;
      if (!at_or_beneath(link.target, root)) {
        leaves = true;
        return &link;
      }
      if (first == nullptr) first = &link;
    }
    return first;
  }

  void refuse_link(const Origin& origin, const std::string& path, const HostLink& link) {
    problem(ErrorKind::kRefused, origin,
            shown(path) + " goes through the symlink " + shown(link.at) + " -> " + shown(link.target) +
                ", which a command in the sandbox could have made",
            "name " + shell_word(link.target) + " itself, or remove the link");
  }

  // Rules whose path walks a symlink below a writable root: never out of that root, and never to more than the other
  // rules give.
  void sort_out_links() {
    std::vector<ResolvedRule> clean;
    std::vector<ResolvedRule> suspect;
    clean.reserve(found_.size());
    for (ResolvedRule& one : found_) {
      bool leaves = false;
      const HostLink* link = one.info.links.empty() ? nullptr : planted(one.info.links, leaves);
      if (link == nullptr) {
        clean.push_back(std::move(one));
      } else if (!leaves) {
        suspect.push_back(std::move(one));
      } else if (one.rule->missing == Missing::kError || one.rule->access == Access::kHide) {
        refuse_link(one.rule->origin, one.rule->path, *link);
      }  // else: a preset's optional path is simply not shown
    }
    if (!suspect.empty()) {
      take(clean);
      for (ResolvedRule& one : suspect) {
        bool leaves = false;
        if (one.rule->access == Access::kHide || scope_.look_up(one.info.canonical).access >= one.rule->access)
          clean.push_back(std::move(one));
        else if (one.rule->missing == Missing::kError)
          refuse_link(one.rule->origin, one.rule->path, *planted(one.info.links, leaves));
      }
    }
    found_ = std::move(clean);
  }

  void protections() {
    ProtectedNameIndex& names = scope_.names_;
    std::int32_t index = 0;
    for (const ProtectRule& rule : policy_.protect) {
      const std::int32_t mine = index++;
      if (rule.name.empty() || rule.name[0] != '/') {
        names.add(rule.name, mine, rank(rule.origin));
        continue;
      }
      auto info = resolver_.resolve(rule.name);
      std::string canonical;
      if (!info) {
        info = resolver_.resolve(std::string(paths::parent(rule.name)));
        if (!info) {
          problem(ErrorKind::kInvalid, rule.origin,
                  "cannot protect " + shown(rule.name) + ": " + shown(paths::parent(rule.name)) + " does not exist",
                  "create that directory first");
          continue;
        }
        canonical = paths::join(info->canonical, paths::basename(rule.name));
      } else {
        canonical = info->canonical;
      }
      bool leaves = false;
      const HostLink* link = planted(info->links, leaves);
      if (link != nullptr)
        refuse_link(rule.origin, rule.name, *link);
      else
        names.add_absolute(std::move(canonical), mine, rank(rule.origin));
    }
  }

  void check_workspace(const ResolvedRule& one) {
    if (policy_.profile == kFullAccessPreset) return;
    const std::string& path = one.info.canonical;
    const auto bad = [&](std::string why) {
      problem(ErrorKind::kInvalid, one.rule->origin, "the workspace " + shown(path) + " " + std::move(why),
              "run from a project directory, or name one with --workspace DIR");
    };
    if (one.info.kind != HostKind::kDirectory) return bad("is not a directory");
    if (path == "/") return bad("is the whole system");
    for (const string_view shared : std::to_array<string_view>({"/tmp", "/var/tmp", "/dev/shm", "/run", "/home"}))
      if (path == shared) return bad("is shared by all programs and users");
    if (at_or_beneath(path, "/proc") || at_or_beneath(path, "/sys") || path == "/dev")
      return bad("belongs to the kernel");
    for (const std::string& home : homes()) {
      if (path == home) return bad("is your home directory, with keys and settings in it");
      if (paths::beneath(home, path)) return bad("contains your home directory, with keys and settings in it");
    }
  }

  const std::vector<std::string>& homes() {
    if (homes_known_) return homes_;
    homes_known_ = true;
    for (std::string home : {host_.variable("HOME").value_or(""), host_.identity().home}) {
      if (home.size() < 2 || home[0] != '/') continue;
      auto info = resolver_.resolve(paths::normal(home));
      if (info && info->canonical != "/") homes_.push_back(std::move(info->canonical));
    }
    return homes_;
  }

  // One rule for each path: the highest rank, then the strictest.
  void take(const std::vector<ResolvedRule>& from) {
    std::vector<std::pair<std::size_t, const ResolvedRule*>> order;
    order.reserve(from.size() + own_.size());
    for (const ResolvedRule& one : from) order.emplace_back(paths::depth(one.info.canonical), &one);
    for (const ResolvedRule& one : own_) order.emplace_back(paths::depth(one.info.canonical), &one);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      if (const int c = a.second->info.canonical.compare(b.second->info.canonical); c != 0) return c < 0;
      const int ra = rank(*a.second->rule);
      const int rb = rank(*b.second->rule);
      if (ra != rb) return ra > rb;
      return a.second->rule->access < b.second->rule->access;
    });
    auto& rules = scope_.rules_;
    rules.clear();
    rules.reserve(order.size());
    for (const auto& [depth, one] : order) {
      if (!rules.empty() && rules.back().path == one->info.canonical) continue;
      rules.push_back({one->info.canonical, one->rule->path, one->rule->access, one->info.kind, one->rule->origin,
                       one->rule->workspace, one->rule->own && one->rule->access == Access::kHide});
    }
    scope_.index();
    protect_roots();
  }

  // A protected path that is itself a writable root: there is no root around it to protect it in, so its rule reads.
  void protect_roots() {
    std::vector<ProtectedNameIndex::Absolute> all = scope_.names_.absolute();
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.path.size() < b.path.size(); });
    for (const ProtectedNameIndex::Absolute& one : all) {
      const std::int32_t found = scope_.find(one.path, paths::hash(one.path));
      if (found < 0) continue;
      ScopeRule& rule = scope_.rules_[static_cast<std::size_t>(found)];
      if (rule.access != Access::kWrite || one.rank < rank(rule) || below_write(one.path)) continue;
      const ProtectRule& by = policy_.protect[static_cast<std::size_t>(one.rule)];
      rule.access = Access::kRead;
      rule.origin = by.origin;
      rule.given = by.name;
      rule.workspace = false;
    }
  }

  bool below_write(const std::string& path) const {
    for (const ScopeRule* rule = scope_.above(path); rule != nullptr; rule = scope_.above(rule->path))
      if (rule->access == Access::kWrite) return true;
    return false;
  }

  void keep_links(const std::vector<HostLink>& links) {
    for (const HostLink& link : links)
      if (kept_.insert(link.at).second) scope_.links_.push_back(link);
  }

  const Policy& policy_;
  HostView& host_;
  Resolver resolver_;
  Scope scope_;
  std::vector<ResolvedRule> found_;
  std::deque<PathRule> own_rules_;
  std::vector<ResolvedRule> own_;
  std::vector<std::pair<std::string, std::string>>
      own_links_;  // symlinks on the way to them, with the name of the directory
  std::unordered_set<std::string> writable_;
  std::unordered_set<std::string> kept_;
  std::vector<std::string> homes_;
  bool homes_known_ = false;
  std::vector<std::pair<std::string, std::string>> problems_;
  ErrorKind kind_ = ErrorKind::kInvalid;
};

Result<Scope> Scope::build(const Policy& policy, HostView& host) {
  return unless_host_failed(host, Builder(policy, host).run());
}

}  // namespace pinfold::policy
