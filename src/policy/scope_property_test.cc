// scope_property_test.cc: Scope::decide against a slow re-statement of docs/reference/policy.md, "Order of rules".
// Invariant: the model checks every rule for every path, independently of scope.cc.
// Not here: words of a decision (scope_test.cc).
#include <gtest/gtest.h>

#include <tuple>

#include "base/glob.h"
#include "base/property.h"
#include "policy/property_world.h"
#include "policy/scope.h"

namespace pinfold::policy {
namespace {

// Later beats earlier: source, layer, and a workspace just below the explicit rules of its layer, but above presets.
using Late = std::tuple<int, int, int>;
Late late(const Origin& origin, bool workspace = false) {
  const bool preset = origin.source == Source::kPreset;
  return {static_cast<int>(origin.source), origin.layer, workspace ? (preset ? 1 : -1) : 0};
}

// A rule about a path and all below it.
struct Claim {
  std::string path;
  Late late;
  Access access;
};
bool stronger(const Claim& a, const Claim& b) {
  if (a.path.size() != b.path.size()) return a.path.size() > b.path.size();
  if (a.late != b.late) return a.late > b.late;
  return a.access < b.access;
}

class Model {
 public:
  // Refused: a missing path that was named, or a symlink that a command could have made.
  bool build(const Policy& policy, FakeHost& host) {
    policy_ = policy;
    struct ResolvedClaim {
      Claim claim;
      HostPathInfo info;
      Missing missing;
    };
    std::vector<ResolvedClaim> all;
    for (const PathRule& rule : policy.paths) {
      const auto info = host.resolve(rule.path);
      if (!info && rule.missing == Missing::kError) return false;
      if (!info) continue;
      all.push_back({{info->canonical, late(rule.origin, rule.workspace), rule.access}, *info, rule.missing});
      if (rule.workspace) workspaces_.push_back(info->canonical);
    }
    std::vector<std::string> writable;
    for (const ResolvedClaim& one : all)
      if (one.claim.access == Access::kWrite) writable.push_back(one.claim.path);
    std::vector<ResolvedClaim> through_links;
    for (const ResolvedClaim& one : all) {
      bool inside = false;
      bool leaves = false;
      look_at_links(one.info.links, writable, inside, leaves);
      if (!inside && !leaves)
        claims_.push_back(one.claim);
      else if (!leaves)
        through_links.push_back(one);
      else if (one.missing == Missing::kError || one.claim.access == Access::kHide)
        return false;
    }
    if (!protect(host, writable)) return false;
    std::vector<Claim> kept;
    for (const ResolvedClaim& one : through_links) {
      if (one.claim.access == Access::kHide || decide(one.claim.path) >= one.claim.access)
        kept.push_back(one.claim);
      else if (one.missing == Missing::kError)
        return false;
    }
    claims_.insert(claims_.end(), kept.begin(), kept.end());
    return true;
  }

  Access decide(const std::string& path) const {
    const Claim* best = nullptr;
    for (const Claim& one : claims_)
      if (paths::at_or_beneath(path, one.path) && (best == nullptr || stronger(one, *best))) best = &one;
    if (best == nullptr) return Access::kHide;
    for (const std::string place : {"/proc", "/dev", "/dev/shm", "/tmp", "/var/tmp"})
      if (paths::at_or_beneath(path, place) && best->path.size() < place.size() &&
          (policy_.tmp == TmpMode::kPrivate || place.starts_with("/proc") || place.starts_with("/dev")))
        return Access::kHide;
    if (best->access == Access::kHide) return Access::kHide;
    for (std::string at = path; at != "/"; at = paths::parent(at))
      for (const HidePattern& one : policy_.patterns)
        if (hides(one, at) && stronger({at, late(one.origin), Access::kHide}, *best)) return Access::kHide;
    if (best->access != Access::kWrite) return best->access;
    for (std::string at = path; at != "/"; at = paths::parent(at))
      for (const auto& [name, when] : protect_)
        if (protects(name, at) && stronger({at, when, Access::kRead}, *best)) return Access::kRead;
    return Access::kWrite;
  }

 private:
  static void look_at_links(const std::vector<HostLink>& links, const std::vector<std::string>& writable, bool& inside,
                            bool& leaves) {
    for (const HostLink& link : links) {
      std::string outermost;
      for (const std::string& root : writable)
        if (paths::beneath(link.at, root) && (outermost.empty() || root.size() < outermost.size())) outermost = root;
      if (outermost.empty()) continue;
      inside = true;
      if (!paths::at_or_beneath(link.target, outermost)) leaves = true;
    }
  }

  bool protect(FakeHost& host, const std::vector<std::string>& writable) {
    for (const ProtectRule& one : policy_.protect) {
      std::string name = one.name;
      if (name.starts_with("/")) {
        auto info = host.resolve(name);
        const bool there = info.has_value();
        if (!there) info = host.resolve(std::string(paths::parent(name)));
        if (!info) return false;
        bool inside = false;
        bool leaves = false;
        look_at_links(info->links, writable, inside, leaves);
        if (inside) return false;
        name = there ? info->canonical : paths::join(info->canonical, paths::basename(name));
        // It counts as a read rule, so a directory of that name is no writable root.
        const Claim* here = nullptr;
        for (const Claim& claim : claims_)
          if (claim.path == name && (here == nullptr || stronger(claim, *here))) here = &claim;
        if (here != nullptr && here->access == Access::kWrite)
          claims_.push_back({name, late(one.origin), Access::kRead});
      }
      protect_.emplace_back(name, late(one.origin));
    }
    return true;
  }

  bool hides(const HidePattern& pattern, const std::string& path) const {
    const auto glob = Glob::parse(pattern.glob);
    if (glob->absolute()) return glob->matches(path.substr(1));
    return std::any_of(workspaces_.begin(), workspaces_.end(), [&](const std::string& workspace) {
      return paths::beneath(path, workspace) && glob->matches(paths::relative(path, workspace));
    });
  }

  // Is `path` this protected name, in a writable directory or anywhere below it, but not inside node_modules?
  bool protects(const std::string& name, const std::string& path) const {
    if (name.starts_with("/")) return name == path;
    if (!path.ends_with("/" + name)) return false;
    const std::string above = path.substr(0, path.size() - name.size());
    // Of several claims for one path only the strongest counts, so a root is a path whose own decision is write.
    std::string root;
    for (const Claim& one : claims_) {
      if (one.access != Access::kWrite || !paths::beneath(path, one.path)) continue;
      const bool strongest = std::none_of(claims_.begin(), claims_.end(), [&](const Claim& other) {
        return other.path == one.path && stronger(other, one);
      });
      if (strongest && (root.empty() || one.path.size() < root.size())) root = one.path;
    }
    if (root.empty() || above.size() < (root == "/" ? 1 : root.size() + 1)) return false;
    const std::string between = above.substr(root == "/" ? 0 : root.size());
    return between.find("/node_modules/") == std::string::npos;
  }

  Policy policy_;
  std::vector<Claim> claims_;
  std::vector<std::string> workspaces_;
  std::vector<std::pair<std::string, Late>> protect_;
};

void random_rules(const World& world, PolicyBuilder& builder) {
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const Origin origin = random_origin();
    const Missing missing = *rc::gen::inRange(0, 3) == 0 ? Missing::kError : Missing::kSkip;
    switch (*rc::gen::inRange(0, 12)) {
      case 0:
      case 1:
      case 2: builder.read(world.path(), origin, missing); break;
      case 3:
      case 4:
      case 5: builder.write(world.path(), origin, missing); break;
      case 6: builder.hide_path(world.path(), origin, missing); break;
      case 7: builder.hide(*rc::gen::elementOf(kPatterns), origin); break;
      case 8: builder.protect(*rc::gen::elementOf(kProtectNames), origin); break;
      case 9: builder.protect(world.path(), origin); break;
      case 10: builder.workspace(world.workspace(), origin); break;
      default: builder.tmp(*rc::gen::element(TmpMode::kPrivate, TmpMode::kHost), origin);
    }
  }
}

TEST(ScopeProperty, DecidesAsTheDocumentsSay) {
  int built = 0;
  EXPECT_EQ(
      holds("decide() is the documented rule", 400,
            [&] {
              World world;
              PolicyBuilder builder(*rc::gen::element<std::string>("empty", "empty", "moderate"), kMia,
                                    {Source::kFlag, "test"});
              builder.workspace_access(*rc::gen::element(Access::kRead, Access::kWrite), {Source::kUserFile, "test"});
              random_rules(world, builder);
              const auto policy = std::move(builder).build();
              if (!policy) return;  // "/dev is not shown", …: the builder's own tests
              Model model;
              const bool fine = model.build(*policy, world.host);
              const auto scope = Scope::build(*policy, world.host);
              if (!scope) {
                const bool by_workspace = scope.error().text().find("the workspace ") != std::string::npos;
                RC_ASSERT(!fine || by_workspace);
                return;
              }
              ++built;
              RC_ASSERT(fine);
              for (const std::string& path : world.compared)
                if (scope->decide(path).access != model.decide(path)) {
                  std::string rules;
                  for (const PathRule& one : policy->paths)
                    if (one.origin.source != Source::kPreset || one.workspace)
                      rules += "path " + one.path + " access " + std::to_string(static_cast<int>(one.access)) +
                               " source " + std::to_string(static_cast<int>(one.origin.source)) + "." +
                               std::to_string(one.origin.layer) + (one.workspace ? " workspace\n" : "\n");
                  for (const ProtectRule& one : policy->protect)
                    if (one.origin.source != Source::kPreset)
                      rules += "protect " + one.name + " source " +
                               std::to_string(static_cast<int>(one.origin.source)) + "\n";
                  for (const HidePattern& one : policy->patterns)
                    if (one.origin.source != Source::kPreset)
                      rules += "pattern " + one.glob + " source " +
                               std::to_string(static_cast<int>(one.origin.source)) + "\n";
                  RC_LOG(rules);
                  RC_LOG(path + ": " + scope->decide(path).reason + "\n");
                  RC_ASSERT(scope->decide(path).access == model.decide(path));
                }
            }),
      "");
  EXPECT_GT(built, enough(100)) << "too few of the random policies were valid";
}

}  // namespace
}  // namespace pinfold::policy
