// rule_synthesis.cc: each need becomes a grant or a reason; grants are folded into directories; the rest is thrown away.
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

using plan::Fate;
using std::string_view;

// Written to by the system's own tools; a sandboxed program has no business there.
constexpr auto kSystem = std::to_array<string_view>(
    {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/boot", "/sys", "/proc", "/dev"});

constexpr const char* kIsSecret = "it may hold secrets";
constexpr const char* kTooWide = "it would give too much; name what is meant in it";

bool in_system(string_view path) {
  return std::any_of(kSystem.begin(), kSystem.end(), [&](string_view one) { return paths::at_or_beneath(path, one); });
}

class Drawing {
 public:
  Drawing(const Needs& needs, const Ground& ground, HostView& host)
      : needs_(needs),
        ground_(ground),
        host_(host),
        view_(ground.base),
        watched_(ground.watched),
        bounds_(ground.secrets, ground.workspaces) {}

  Lesson run() {
    for (const auto& [need, times] : needs_.paths())
      if (need.want == Want::kExecute) roots_.insert(plan::toolchain_root(need.path, ground_.secrets.home()));
    for (const auto& [need, times] : needs_.paths()) look_at(need, times);
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
  void look_at(const Need& need, const Times& times) {
    if (need.want == Want::kExecute && ground_.programs == Programs::kList) programs_.insert(need.path);
    const bool writes = need.want == Want::kWrite || need.want == Want::kRename;
    if (!writes && given_by_base(need.path)) return;
    const Access access = writes ? Access::kWrite : Access::kRead;
    const auto leave = [&](const std::string& path, const char* why) {
      auto& left = left_[{access, path}];
      left.why = why;
      left.users[need.program] += times.count;
    };
    if (ground_.secrets.is_secret(need.path)) return leave(need.path, kIsSecret);
    if (need.want == Want::kConnect || host_.kind(need.path) == HostKind::kSocket)
      return leave(need.path, "whoever answers at this socket acts outside of the sandbox");
    if (!times.hindered && !was_met(need.path, access)) return leave(need.path, "it did without");
    if (writes) return want_write(need, times, leave);
    const HostKind kind = host_.kind(need.path);
    if (kind == HostKind::kMissing) return;
    if (need.want == Want::kLook) {
      (kind == HostKind::kDirectory ? seen_ : looked_)[need.path][need.program] += times.count;
      note_link(times);
      return;
    }
    const std::string path = readable_place(need, kind);
    if (path.empty()) {
      if (kind == HostKind::kDirectory) listed_.insert(need.path);
      return leave(need.path, kTooWide);
    }
    reads_[path][need.program] += times.count;
    note_link(times);
  }

  // What was denied to a command that ended well all the same is nothing that it needs.
  bool was_met(const std::string& path, Access access) const {
    const Fate fate = watched_.fate(path).fate;
    return access == Access::kWrite ? fate == Fate::kWritable : fate != Fate::kHidden;
  }

  bool given_by_base(const std::string& path) const {
    const plan::PathFate fate = view_.fate(path);
    return fate.fate == Fate::kWritable || fate.fate == Fate::kReadOnly || fate.fate == Fate::kProtected;
  }

  // The path itself, or the toolchain that it belongs to; empty: nothing that may be given.
  std::string readable_place(const Need& need, HostKind kind) {
    std::string path = need.path;
    // A policy file is UTF-8: what is not has to be given with what is around it.
    while (!is_utf8(path)) path = paths::parent(path);
    if (path != need.path) return bounds_.may_give(path) ? path : std::string();
    std::string root = plan::toolchain_root(path, ground_.secrets.home());
    if (root != path && is_toolchain(root) && bounds_.may_give(root)) return root;
    return kind != HostKind::kDirectory || bounds_.may_give(path) ? path : std::string();
  }

  // Headers below ~/sdk/include are no reason to give ~/sdk; a program in ~/sdk/bin is one.
  bool is_toolchain(const std::string& root) const {
    return roots_.contains(root) || paths::basename(root).starts_with('.') || root.starts_with("/opt/");
  }

  template <typename Leave>
  void want_write(const Need& need, const Times& times, const Leave& leave) {
    if (view_.fate(need.path).fate == Fate::kProtected)
      return leave(need.path, "it is protected: what is written there may take effect outside of the sandbox");
    if (in_system(need.path)) return leave(need.path, "it belongs to the system");
    const std::string wanted =
        need.want == Want::kWrite && is_utf8(need.path) ? need.path : std::string(paths::parent(need.path));
    std::string path = wanted;
    while (host_.kind(path) == HostKind::kMissing || !is_utf8(path)) path = paths::parent(path);
    const bool workspace =
        std::find(ground_.workspaces.begin(), ground_.workspaces.end(), path) != ground_.workspaces.end();
    if (host_.kind(path) == HostKind::kDirectory && !workspace && !bounds_.may_give(path))
      return leave(wanted, path == wanted ? kTooWide : "it is not there yet: make it first (mkdir -p)");
    writes_[path][need.program] += times.count;
    note_link(times);
  }

  void note_link(const Times& times) {
    if (!times.named.empty()) named_.insert(times.named);
  }

  // Whoever lists a directory looks at everything in it; a home can be listed without being given. That a directory is
  // there is seen from what is given in it.
  void drop_looks() {
    const std::string& home = ground_.secrets.home();
    const auto in_listed = [&](const std::string& path) {
      const std::string around(paths::parent(path));
      return listed_.contains(around) || paths::at_or_beneath(home, around);
    };
    const auto leave = [&](const std::string& path, const Users& users) {
      left_[{Access::kRead, path}] = {Access::kRead, path, "it was looked at, not into", users};
    };
    for (const auto& [path, users] : looked_) {
      if (reads_.contains(path) || !is_utf8(path)) continue;
      if (in_listed(path)) {
        leave(path, users);
      } else {
        only_looked_.insert(path);
        reads_[path] = users;
      }
    }
    for (const auto& [path, users] : seen_) {
      const auto inside = [&above = path](const auto& one) { return paths::at_or_beneath(one.first, above); };
      if (!covered(reads_, path) && !paths::at_or_beneath(home, path) &&
          std::none_of(reads_.begin(), reads_.end(), inside) && std::none_of(writes_.begin(), writes_.end(), inside))
        leave(path, users);
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

  // A rule names a path as the command does: Pinfold then makes the links on the way to it.
  void keep_links() {
    std::set<std::pair<std::string, std::string>> links;
    for (const std::string& name : named_)
      if (const auto info = host_.resolve(paths::normal(name)))
        for (const HostLink& link : info->links) links.emplace(link.at, link.target);
    std::vector<Rule> more;
    std::set<std::string> replaced;  // where the link leads is shown with it
    for (const auto& [at, target] : links) {
      if (given_by_base(at) || !is_utf8(at)) continue;
      const auto shows_link = [&link = at](const Rule& rule) { return paths::beneath(link, rule.path); };
      if (std::any_of(out_.rules.begin(), out_.rules.end(), shows_link)) continue;
      for (const Rule& rule : out_.rules) {
        if (paths::at_or_beneath(rule.path, target)) {
          std::string alias = paths::normal(at + "/" + std::string(paths::relative(rule.path, target)));
          more.push_back({rule.access, std::move(alias), rule.users, false});
          replaced.insert(rule.path);
        } else if (paths::beneath(target, rule.path)) {
          more.push_back({rule.access, at, rule.users, false});
        }
      }
    }
    std::erase_if(out_.rules, [&](const Rule& rule) { return replaced.contains(rule.path); });
    out_.rules.insert(out_.rules.end(), more.begin(), more.end());
  }

  void finish() {
    std::sort(out_.rules.begin(), out_.rules.end(), [](const Rule& a, const Rule& b) {
      return a.access != b.access ? a.access < b.access : a.path < b.path;
    });
    for (auto& [key, left] : left_) {
      left.access = key.first;
      left.path = key.second;
      const bool given = std::any_of(out_.rules.begin(), out_.rules.end(), [&asked = left](const Rule& rule) {
        return rule.access >= asked.access && paths::at_or_beneath(asked.path, rule.path) && asked.why != kIsSecret;
      });
      if (!given) out_.left_out.push_back(std::move(left));
    }
    out_.programs.assign(programs_.begin(), programs_.end());
    for (const auto& [host, count] : needs_.network()) out_.network.push_back(host);
  }

  const Needs& needs_;
  const Ground& ground_;
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
  std::map<std::pair<Access, std::string>, LeftOut> left_;
  Lesson out_;
};

}  // namespace

Lesson draw(const Needs& needs, const Ground& ground, HostView& host) { return Drawing(needs, ground, host).run(); }

}  // namespace pinfold::learn
