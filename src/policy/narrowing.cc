// narrowing.cc: one policy compared with another, field by field, on canonical paths.
// Invariant: between two rules a decision changes only by patterns and protected names, so it is enough to compare at
// every path that a rule of either names, and to find every pattern and name of the first again in the second, with the
// same reach: patterns reach from workspaces, names from writable roots.
// Not here: consent.
#include "policy/narrowing.h"

#include <algorithm>
#include <set>

#include "base/glob.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/units.h"
#include "policy/network_narrowing.h"
#include "policy/presets.h"
#include "policy/rank.h"

namespace pinfold::policy {
namespace {

using paths::at_or_beneath;
using std::string_view;
using text::shown;

string_view word(Access access) {
  return access == Access::kWrite ? "write" : access == Access::kRead ? "read" : "hide";
}
string_view word(NetworkMode mode) {
  return mode == NetworkMode::kFull ? "full" : mode == NetworkMode::kDomains ? "some names" : "none";
}
string_view word(ExecMode mode) {
  return mode == ExecMode::kAny ? "any program" : mode == ExecMode::kList ? "some programs" : "none";
}
string_view word(OnUnavailable answer) {
  return answer == OnUnavailable::kWarn ? "warn" : answer == OnUnavailable::kPrompt ? "prompt" : "deny";
}

// "LC_*" covers "LC_ALL" and "LC_A*".
bool covers(const EnvRule& rule, string_view name) {
  if (!rule.name.ends_with('*')) return rule.name == name;
  return name.starts_with(string_view(rule.name).substr(0, rule.name.size() - 1));
}

// Whether the caller has a variable that a rule passes. An unset variable cannot replace a chosen value.
enum class CallerVariable { kSet, kUnset };

// The rule that decides the value of a variable for the command, or null; plan/environment.cc decides in the same way.
const EnvRule* deciding_rule(const Policy& policy, const std::string& name, CallerVariable callers) {
  const EnvRule* best = nullptr;
  for (const EnvRule& rule : policy.environment) {
    if (!covers(rule, name) || (best != nullptr && !overrides(rule.origin, best->origin))) continue;
    if (!rule.value) {
      if (callers == CallerVariable::kUnset || (best != nullptr && same_layer(rule.origin, best->origin))) continue;
      const bool file = rule.origin.source >= Source::kUserFile && rule.origin.source <= Source::kEnvironment;
      if (file && rule.name.ends_with('*') && runs_code(name)) continue;
    }
    best = &rule;
  }
  return best;
}

// Pinfold gives these a value where no rule does, and PATH resolves the names of an exec list.
bool always_set(string_view name) { return name == "PATH" || name == "HOME" || name == "USER" || name == "LOGNAME"; }

class Comparison {
 public:
  Comparison(const Scope& own, const Scope& requested) : own_(own), requested_(requested) {}

  std::vector<Widening> run() {
    paths();
    patterns();
    protections();
    const Policy& a = own_.policy();
    const Policy& b = requested_.policy();
    network(a.network, b.network);
    hosts(a, b);
    exec(a.exec, b.exec);
    environment(a, b);
    limits(a.limits, b.limits);
    if (b.home > a.home) add("the home directory as its rules show it", "hidden", b.home_origin);
    if (b.tmp > a.tmp) add("the host's /tmp", "a private one", b.tmp_origin);
    if (b.session > a.session) add("the caller's terminal session", "a session of its own", b.session_origin);
    if (b.pid > a.pid) add("the host's processes", "its own processes", b.pid_origin);
    if (b.debuggers > a.debuggers) add("debuggers", by("refused", a.debuggers_origin), b.debuggers_origin);
    if (b.observe > a.observe)
      add("observe " + std::string(observe_word(b.observe)), by(observe_word(a.observe), a.observe_origin),
          b.observe_origin);
    if (b.ignored > a.ignored)
      add("ignored " + std::string(ignored_word(b.ignored)), by(ignored_word(a.ignored), a.ignored_origin),
          b.ignored_origin);
    if (b.absolute_paths > a.absolute_paths)
      add("absolute paths for the file tools", by("refused", a.absolute_paths_origin), b.absolute_paths_origin);
    if (b.on_unavailable > a.on_unavailable)
      add("on_unavailable " + std::string(word(b.on_unavailable)), by(word(a.on_unavailable), a.on_unavailable_origin),
          b.on_unavailable_origin);
    return std::move(out_);
  }

 private:
  void add(std::string what, std::string than, const Origin& origin) {
    out_.push_back({std::move(what), std::move(than), origin});
  }
  static std::string by(string_view what, const Origin& origin) {
    return std::string(what) + " (" + shown(origin.where) + ")";
  }

  void paths() {
    std::set<std::string> all;
    for (const ScopeRule& rule : own_.rules()) all.insert(rule.path);
    for (const ScopeRule& rule : requested_.rules()) {
      all.insert(rule.path);
      if (rule.access == Access::kWrite) protected_around(rule.path, all);
    }
    for (const std::string& path : all) {
      const Decision before = own_.decide(path);
      const Decision after = requested_.decide(path);
      if (after.access <= before.access) continue;
      const Origin& origin = after.rule == nullptr ? requested_.policy().tmp_origin : after.rule->origin;
      add(std::string(word(after.access)) + " " + shown(path),
          std::string(before.access == Access::kHide ? "not visible: " : "read-only: ") + before.reason, origin);
    }
  }

  // A writable root inside a protected name's own path (".git" of ".git/hooks") would cut the name in two.
  void protected_around(const std::string& root, std::set<std::string>& points) const {
    for (const ProtectRule& rule : own_.policy().protect) {
      if (rule.name.starts_with('/')) continue;
      for (std::size_t at = rule.name.find('/'); at != std::string::npos; at = rule.name.find('/', at + 1))
        if (root.ends_with("/" + rule.name.substr(0, at))) points.insert(root + rule.name.substr(at));
    }
  }

  // A relative pattern counts below workspaces: one that is no longer a workspace must not be shown in another way.
  void reach_of(const HidePattern& pattern) {
    const auto glob = Glob::parse(pattern.glob);
    if (!glob || glob->absolute()) return;
    const auto& now = requested_.workspaces();
    const auto is_shown = [&](const std::string& path) {
      const bool covered = glob->by_name() && std::any_of(now.begin(), now.end(), [&](const std::string& workspace) {
                             return at_or_beneath(path, workspace);
                           });
      return !covered && requested_.look_up(path).access != Access::kHide;
    };
    for (const std::string& workspace : own_.workspaces()) {
      if (std::find(now.begin(), now.end(), workspace) != now.end()) continue;
      const auto& rules = requested_.rules();
      if (is_shown(workspace) || std::any_of(rules.begin(), rules.end(), [&](const ScopeRule& rule) {
            return at_or_beneath(rule.path, workspace) && is_shown(rule.path);
          }))
        add("files that match " + shown(pattern.glob) + " below " + shown(workspace), by("hidden", pattern.origin),
            requested_.policy().workspace_access_origin);
    }
  }

  void patterns() {
    for (const HidePattern& one : own_.policy().patterns) {
      const auto& there = requested_.policy().patterns;
      const bool kept = std::any_of(there.begin(), there.end(), [&](const HidePattern& other) {
        return other.glob == one.glob && rank(other.origin) >= rank(one.origin);
      });
      if (!kept)
        add("files that match " + shown(one.glob), by("hidden", one.origin), requested_.policy().home_origin);
      else
        reach_of(one);
    }
  }

  void protections() {
    for (const ProtectRule& one : own_.policy().protect) {
      const auto& there = requested_.policy().protect;
      const bool kept = std::any_of(there.begin(), there.end(), [&](const ProtectRule& other) {
        return other.name == one.name && rank(other.origin) >= rank(one.origin);
      });
      if (!kept) add("changing " + shown(one.name), by("protected", one.origin), requested_.policy().home_origin);
    }
  }

  void network(const NetworkRule& a, const NetworkRule& b) {
    if (b.mode == NetworkMode::kFull && a.mode != NetworkMode::kFull)
      return add("network full", by(word(a.mode), a.origin), b.origin);
    if (b.mode != NetworkMode::kDomains || a.mode == NetworkMode::kFull) return;
    for (const NetworkWidening& one : network_widenings(a.domains, b.domains))
      add("network " + one.what, a.mode == NetworkMode::kNone ? by("none", a.origin) : one.than, one.origin);
  }

  // A fixed address of a name chooses the host that answers for the name.
  void hosts(const Policy& a, const Policy& b) {
    if (b.network.mode != NetworkMode::kDomains) return;
    for (const HostAddresses& one : b.hosts) {
      const bool same = std::any_of(a.hosts.begin(), a.hosts.end(), [&](const HostAddresses& own) {
        return own.name == one.name && own.addresses == one.addresses;
      });
      if (!same) add("where " + one.name + " leads", "as name servers or you say", one.origin);
    }
  }

  void exec(const ExecRule& a, const ExecRule& b) {
    if (b.mode > a.mode) return add("starting " + std::string(word(b.mode)), by(word(a.mode), a.origin), b.origin);
    if (a.mode != ExecMode::kList || b.mode != ExecMode::kList) return;
    for (const std::string& one : b.commands)
      if (std::find(a.commands.begin(), a.commands.end(), one) == a.commands.end())
        add("starting " + shown(one), "not in your list", b.origin);
  }

  void environment(const Policy& a, const Policy& b) {
    std::set<std::string> names;
    for (const EnvRule& one : a.environment)
      if (!one.name.ends_with('*')) names.insert(one.name);
    for (const EnvRule& one : b.environment) {
      if (!one.name.ends_with('*')) {
        names.insert(one.name);
        continue;
      }
      const bool passed = std::any_of(a.environment.begin(), a.environment.end(),
                                      [&](const EnvRule& mine) { return !mine.value && covers(mine, one.name); });
      if (!passed) add("variable " + one.name, "not passed on: no rule names it", one.origin);
    }
    for (const std::string& name : names)
      if (!variable(a, b, name, CallerVariable::kSet)) variable(a, b, name, CallerVariable::kUnset);
  }

  // A new variable reveals nothing; a new value for a variable that the user or Pinfold sets does override them.
  bool variable(const Policy& a, const Policy& b, const std::string& name, CallerVariable callers) {
    const EnvRule* mine = deciding_rule(a, name, callers);
    const EnvRule* now = deciding_rule(b, name, callers);
    if (now == nullptr) return false;
    if (!now->value) {
      if (mine != nullptr && !mine->value) return false;
      add("variable " + name, mine == nullptr ? "not passed on: no rule names it" : by("another value", mine->origin),
          now->origin);
      return true;
    }
    if (mine == nullptr ? !always_set(name) : mine->value == now->value) return false;
    add("variable " + name + " with another value", mine == nullptr ? "Pinfold's own" : "yours", now->origin);
    return true;
  }

  template <typename T, typename Format>
  void limit(string_view name, const std::optional<Limit<T>>& a, const std::optional<Limit<T>>& b, Format format) {
    if (!a || (b && b->value <= a->value)) return;
    add(std::string(name) + (b ? " " + format(b->value) : " without limit"), by(format(a->value), a->origin),
        b ? b->origin : requested_.policy().home_origin);
  }

  void limits(const Limits& a, const Limits& b) {
    const auto count = [](std::uint64_t value) { return std::to_string(value); };
    limit("time", a.wall_time, b.wall_time, units::format_duration);
    limit("memory", a.memory, b.memory, units::format_size);
    limit("processes", a.processes, b.processes, count);
    limit("processor time", a.cpu_time, b.cpu_time, units::format_duration);
    limit("file size", a.file_size, b.file_size, units::format_size);
    limit("output", a.output_size, b.output_size, units::format_size);
  }

  const Scope& own_;
  const Scope& requested_;
  std::vector<Widening> out_;
};

}  // namespace

std::vector<Widening> widenings(const Scope& own, const Scope& requested) { return Comparison(own, requested).run(); }

}  // namespace pinfold::policy
