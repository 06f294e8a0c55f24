// wide_view.cc: adds rules with the origin of a preset to the base, so that the user's rules override them.
#include "learn/wide_view.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/paths.h"
#include "base/text_map.h"

namespace pinfold::learn {
namespace {

using std::string_view;

// Paths that the sandbox mounts itself.
constexpr auto kNotShown = std::to_array<string_view>({"/proc", "/dev", "/sys", "/tmp"});
// Enough for ~/.local/share/x/y; deeper siblings of a rule's path stay hidden and are learned from denials.
constexpr int kDeepest = 4;
// A rule for a name that never exists (RFC 2606), so that the sandbox has a name server that reports queries.
constexpr string_view kNowhere = "pinfold.invalid";

class WideViewBuilder {
 public:
  WideViewBuilder(const policy::Scope& base, const Plan& plan, const Secrets& secrets, HostView& host)
      : base_(base), secrets_(secrets), host_(host), policy_(base.policy()) {
    for (const Step& step : plan.steps) {
      if (const auto* show = std::get_if<ShowPath>(&step.body)) cover(show->at, show->host != show->at);
      if (const auto* link = std::get_if<MakeLink>(&step.body)) cover(link->at, true);
      if (const auto* file = std::get_if<MakeFile>(&step.body)) cover(file->at, true);
    }
  }

  Policy run() {
    const std::string& home = secrets_.home();
    for (const std::string& place : secrets_.paths())
      if (place != home) rule(place, Access::kHide);
    show_entries("/", 0);
    if (!home.empty() && policy_.home == HomeMode::kHidden) {
      show_entries(home, 0);
      hide_names_below(home);
    }
    for (PathRule& rule : policy_.paths)
      if (rule.workspace) rule.access = Access::kWrite;
    policy_.workspace_access = Access::kWrite;
    policy_.observe = ObserveMode::kFull;
    if (policy_.network.mode == NetworkMode::kNone) {
      policy_.network.mode = NetworkMode::kDomains;
      policy_.network.domains = {
          DomainRule{DomainKind::kName, RuleAction::kAllow, std::string(kNowhere), {}, 0, {443}, {}}};
    }
    return std::move(policy_);
  }

 private:
  void cover(string_view path, bool made_up) {
    covered_.emplace(path);
    while (made_up && path.size() > 1 && above_.emplace(paths::parent(path)).second) path = paths::parent(path);
  }

  void rule(std::string path, Access access) {
    policy_.paths.push_back({std::move(path), access, Missing::kSkip, {Source::kPreset, "learn"}});
  }

  // A deeper rule of this class must not override a hide rule of the user.
  bool hidden_by_user(const std::string& path) const {
    const policy::ScopeLookup lookup = base_.look_up(path);
    return lookup.access == Access::kHide && lookup.rule >= 0 &&
           base_.rules()[static_cast<std::size_t>(lookup.rule)].origin.source != Source::kPreset;
  }

  void show_entries(const std::string& directory, int depth) {
    auto entries = host_.list(directory);
    if (!entries || depth == kDeepest) return;
    std::sort(entries->begin(), entries->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    for (const HostEntry& entry : *entries) show(paths::join(directory, entry.name), entry.kind, depth);
  }

  void show(const std::string& path, HostKind kind, int depth) {
    if (covered_.contains(path) || std::find(kNotShown.begin(), kNotShown.end(), path) != kNotShown.end()) return;
    if (hidden_by_user(path) || secrets_.is_secret(path)) return;
    if (kind == HostKind::kSymlink) {
      const auto target = host_.resolve(path);
      // A symlink that leaves the home directory makes nothing visible.
      if (!target || !paths::beneath(target->canonical, secrets_.home()) || secrets_.is_secret(target->canonical) ||
          hidden_by_user(target->canonical) || above_.contains(target->canonical))
        return;
    } else if (kind != HostKind::kDirectory && kind != HostKind::kFile) {
      return;
    }
    if (above_.contains(path)) return show_entries(path, depth + 1);
    rule(path, Access::kRead);
    // /var and directories in the home are large, and rarely contain such files.
    if (kind == HostKind::kDirectory && path != "/var" && !paths::beneath(path, secrets_.home()))
      hide_names_below(path);
  }

  void hide_names_below(const std::string& directory) {
    for (const std::string& name : secrets_.hidden_names())
      policy_.patterns.push_back({Glob::escaped(directory) + "/**/" + name, {Source::kPreset, "learn"}});
  }

  const policy::Scope& base_;
  const Secrets& secrets_;
  HostView& host_;
  Policy policy_;
  TextSet covered_;  // paths of the base plan's steps
  TextSet
      above_;  // parents of paths that the plan creates: these cannot be created below a path that is shown as a whole
};

}  // namespace

Policy wide_view(const policy::Scope& base, const Plan& plan, const Secrets& secrets, HostView& host) {
  return WideViewBuilder(base, plan, secrets, host).run();
}

void watch(Plan& wide, const Plan& base) {
  for (Step& step : wide.steps) {
    auto* observe = std::get_if<Observe>(&step.body);
    if (observe == nullptr) continue;
    observe->as_if = std::make_shared<const Plan>(base);
    step.need = Need::kRequired;
  }
}

}  // namespace pinfold::learn
