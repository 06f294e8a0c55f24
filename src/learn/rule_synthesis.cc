// rule_synthesis.cc: turns each access into a grant or an omitted rule, then folds grants into directories.
#include "learn/rule_synthesis.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/paths.h"
#include "base/utf8.h"
#include "learn/fold.h"
#include "plan/grants.h"
#include "plan/plan_view.h"

namespace pinfold::learn {
namespace {

using plan::PathState;
using std::string_view;

// Written only by the system's own tools: no rule grants write access there.
constexpr auto kSystem = std::to_array<string_view>(
    {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/boot", "/sys", "/proc", "/dev"});

constexpr const char* kMayBeSecret = "it may hold secrets";
constexpr const char* kTooWide = "a rule for this directory would grant too much; name the needed path in it";

bool in_system(string_view path) {
  return std::any_of(kSystem.begin(), kSystem.end(), [&](string_view one) { return paths::at_or_beneath(path, one); });
}

class RuleSynthesis {
 public:
  RuleSynthesis(const ObservedAccess& observed, const SynthesisInput& input, HostView& host)
      : observed_(observed),
        input_(input),
        host_(host),
        view_(input.base),
        watched_(input.watched),
        bounds_(input.secrets, input.workspaces) {}

  RuleSet run() {
    for (const auto& [record, stats] : observed_.paths())
      if (record.kind == AccessKind::kExecute) roots_.insert(plan::toolchain_root(record.path, input_.secrets.home()));
    for (const auto& [record, stats] : observed_.paths()) consider(record, stats);
    drop_looks();
    fold(reads_, bounds_);
    fold(writes_, bounds_);
    for (const auto& [path, users] : writes_) give(Access::kWrite, path, users);
    for (const auto& [path, users] : reads_)
      if (!covered(writes_, path)) give(Access::kRead, path, users);
    keep_links();
    finish();
    return std::move(out_);
  }

 private:
  void consider(const AccessRecord& record, const AccessStats& stats) {
    if (record.kind == AccessKind::kExecute && input_.programs == Programs::kList) programs_.insert(record.path);
    const bool writes = record.kind == AccessKind::kWrite || record.kind == AccessKind::kRename;
    if (!writes && given_by_base(record.path)) return;
    const Access access = writes ? Access::kWrite : Access::kRead;
    const auto omit = [&](const std::string& path, const char* why) {
      auto& left = omitted_[{access, path}];
      left.why = why;
      left.users[record.program] += stats.count;
    };
    if (input_.secrets.is_secret(record.path)) return omit(record.path, kMayBeSecret);
    if (record.kind == AccessKind::kConnect || host_.kind(record.path) == HostKind::kSocket)
      return omit(record.path, "the process behind this socket acts outside of the sandbox");
    if (!stats.in_failed_run && !was_met(record.path, access))
      return omit(record.path, "the command succeeded without it");
    if (writes) return want_write(record, stats, omit);
    const HostKind kind = host_.kind(record.path);
    if (kind == HostKind::kMissing) return;
    if (record.kind == AccessKind::kLook) {
      (kind == HostKind::kDirectory ? seen_ : looked_)[record.path][record.program] += stats.count;
      note_link(stats);
      return;
    }
    const std::string path = readable_place(record, kind);
    if (path.empty()) {
      if (kind == HostKind::kDirectory) listed_.insert(record.path);
      return omit(record.path, kTooWide);
    }
    reads_[path][record.program] += stats.count;
    note_link(stats);
  }

  // A command that succeeded did not need the accesses that were denied.
  bool was_met(const std::string& path, Access access) const {
    const PathState state = watched_.look_up(path).state;
    return access == Access::kWrite ? state == PathState::kWritable : state != PathState::kHidden;
  }

  bool given_by_base(const std::string& path) const {
    const plan::PathLookup lookup = view_.look_up(path);
    return lookup.state == PathState::kWritable || lookup.state == PathState::kReadOnly ||
           lookup.state == PathState::kProtected;
  }

  // The path itself, or its toolchain's directory; empty: neither may be granted.
  std::string readable_place(const AccessRecord& record, HostKind kind) {
    std::string path = record.path;
    // A policy file is UTF-8: for another name the parent directory must be granted.
    while (!is_utf8(path)) path = paths::parent(path);
    if (path != record.path) return bounds_.may_grant(path) ? path : std::string();
    std::string root = plan::toolchain_root(path, input_.secrets.home());
    if (root != path && is_toolchain(root) && bounds_.may_grant(root)) return root;
    return kind != HostKind::kDirectory || bounds_.may_grant(path) ? path : std::string();
  }

  // Headers below ~/sdk/include do not make ~/sdk a toolchain; a started program in ~/sdk/bin does.
  bool is_toolchain(const std::string& root) const {
    return roots_.contains(root) || paths::basename(root).starts_with('.') || root.starts_with("/opt/");
  }

  template <typename Omit>
  void want_write(const AccessRecord& record, const AccessStats& stats, const Omit& omit) {
    if (view_.look_up(record.path).state == PathState::kProtected)
      return omit(record.path, "it is protected: a change there may take effect outside of the sandbox");
    if (in_system(record.path)) return omit(record.path, "it belongs to the system");
    const std::string wanted = record.kind == AccessKind::kWrite && is_utf8(record.path)
                                   ? record.path
                                   : std::string(paths::parent(record.path));
    std::string path = wanted;
    while (host_.kind(path) == HostKind::kMissing || !is_utf8(path)) path = paths::parent(path);
    const bool workspace =
        std::find(input_.workspaces.begin(), input_.workspaces.end(), path) != input_.workspaces.end();
    if (host_.kind(path) == HostKind::kDirectory && !workspace && !bounds_.may_grant(path))
      return omit(wanted, path == wanted ? kTooWide : "it does not exist yet: create it first (mkdir -p)");
    writes_[path][record.program] += stats.count;
    note_link(stats);
  }

  void note_link(const AccessStats& stats) {
    if (!stats.named.empty()) named_.insert(stats.named);
  }

  // A program that lists a directory calls stat on all its entries, so these accesses need no rule, nor do entries of
  // the home directory. A directory with a grant inside is visible without a rule.
  void drop_looks() {
    const std::string& home = input_.secrets.home();
    const auto in_listed = [&](const std::string& path) {
      const std::string around(paths::parent(path));
      return listed_.contains(around) || paths::at_or_beneath(home, around);
    };
    const auto omit = [&](const std::string& path, const Users& users) {
      omitted_[{Access::kRead, path}] = {Access::kRead, path, "it was only looked up, not read", users};
    };
    for (const auto& [path, users] : looked_) {
      if (reads_.contains(path) || !is_utf8(path)) continue;
      if (in_listed(path)) {
        omit(path, users);
      } else {
        only_looked_.insert(path);
        reads_[path] = users;
      }
    }
    for (const auto& [path, users] : seen_) {
      const auto inside = [&above = path](const auto& one) { return paths::at_or_beneath(one.first, above); };
      if (!covered(reads_, path) && !paths::at_or_beneath(home, path) &&
          std::none_of(reads_.begin(), reads_.end(), inside) && std::none_of(writes_.begin(), writes_.end(), inside))
        omit(path, users);
    }
  }

  static bool covered(const Grants& grants, const std::string& path) {
    bool found = false;
    paths::each_at_or_above(path, [&](string_view one) { found = found || grants.contains(std::string(one)); });
    return found;
  }

  void give(Access access, const std::string& path, const Users& users) {
    out_.rules.push_back({access, path, users, only_looked_.contains(path)});
  }

  // Rules use the command's own path: Pinfold then creates the symlinks in it.
  void keep_links() {
    std::set<std::pair<std::string, std::string>> links;
    for (const std::string& name : named_)
      if (const auto info = host_.resolve(paths::normal(name)))
        for (const HostLink& link : info->links) links.emplace(link.at, link.target);
    std::vector<ObservedRule> more;
    std::set<std::string> replaced;  // the target of a symlink is granted with it
    for (const auto& [at, target] : links) {
      if (given_by_base(at) || !is_utf8(at)) continue;
      const auto shows_link = [&link = at](const ObservedRule& rule) { return paths::beneath(link, rule.path); };
      if (std::any_of(out_.rules.begin(), out_.rules.end(), shows_link)) continue;
      for (const ObservedRule& rule : out_.rules) {
        if (paths::at_or_beneath(rule.path, target)) {
          std::string alias = paths::normal(at + "/" + std::string(paths::relative(rule.path, target)));
          more.push_back({rule.access, std::move(alias), rule.users, false});
          replaced.insert(rule.path);
        } else if (paths::beneath(target, rule.path)) {
          more.push_back({rule.access, at, rule.users, false});
        }
      }
    }
    std::erase_if(out_.rules, [&](const ObservedRule& rule) { return replaced.contains(rule.path); });
    out_.rules.insert(out_.rules.end(), more.begin(), more.end());
  }

  void finish() {
    std::sort(out_.rules.begin(), out_.rules.end(), [](const ObservedRule& a, const ObservedRule& b) {
      return a.access != b.access ? a.access < b.access : a.path < b.path;
    });
    for (auto& [key, left] : omitted_) {
      left.access = key.first;
      left.path = key.second;
      const bool given = std::any_of(out_.rules.begin(), out_.rules.end(), [&asked = left](const ObservedRule& rule) {
        return rule.access >= asked.access && paths::at_or_beneath(asked.path, rule.path) && asked.why != kMayBeSecret;
      });
      if (!given) out_.omitted.push_back(std::move(left));
    }
    out_.programs.assign(programs_.begin(), programs_.end());
    for (const auto& [host, count] : observed_.network()) out_.network.push_back(host);
  }

  const ObservedAccess& observed_;
  const SynthesisInput& input_;
  HostView& host_;
  plan::PlanView view_;
  plan::PlanView watched_;
  Bounds bounds_;
  Grants reads_;
  Grants writes_;
  Grants looked_;  // files
  Grants seen_;    // directories
  std::set<std::string> listed_;
  std::set<std::string> only_looked_;
  std::set<std::string> named_;
  std::set<std::string> programs_;
  std::set<std::string> roots_;  // of toolchains whose programs were started
  std::map<std::pair<Access, std::string>, OmittedRule> omitted_;
  RuleSet out_;
};

}  // namespace

RuleSet synthesize_rules(const ObservedAccess& observed, const SynthesisInput& input, HostView& host) {
  return RuleSynthesis(observed, input, host).run();
}

}  // namespace pinfold::learn
