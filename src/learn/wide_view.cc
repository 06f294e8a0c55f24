// wide_view.cc: rules of the lowest rank on top of the base, so that whatever a user said is heard before them.
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

// The sandbox's own, or taken care of elsewhere.
constexpr auto kNotShown = std::to_array<string_view>({"/proc", "/dev", "/sys", "/tmp"});
// Deep enough for ~/.local/share/x/y; what lies deeper beside a rule stays hidden, and is learned from a denial.
constexpr int kDeepest = 4;
// Names that nobody has (RFC 2606), so that names are asked for, and told, and lead nowhere.
constexpr string_view kNowhere = "pinfold.invalid";

class Widening {
 public:
  Widening(const policy::Scope& base, const Plan& plan, const Secrets& secrets, HostView& host)
      : base_(base), secrets_(secrets), host_(host), policy_(base.policy()) {
    for (const Step& step : plan.steps) {
      if (const auto* show = std::get_if<ShowPath>(&step.body)) speak_for(show->at, show->host != show->at);
      if (const auto* link = std::get_if<MakeLink>(&step.body)) speak_for(link->at, true);
      if (const auto* file = std::get_if<MakeFile>(&step.body)) speak_for(file->at, true);
    }
  }

  Policy run() {
    const std::string& home = secrets_.home();
    for (const std::string& place : secrets_.places())
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
          DomainRule{DomainKind::kName, Verdict::kAllow, std::string(kNowhere), {}, 0, {443}, {}}};
    }
    return std::move(policy_);
  }

 private:
  void speak_for(string_view path, bool made_up) {
    spoken_.emplace(path);
    while (made_up && path.size() > 1 && above_.emplace(paths::parent(path)).second) path = paths::parent(path);
  }

  void rule(std::string path, Access access) {
    policy_.paths.push_back({std::move(path), access, Missing::kSkip, {Source::kPreset, "learn"}});
  }

  // Where the user said no, an entry must not say yes for being the deeper one.
  bool hidden_by_user(const std::string& path) const {
    const policy::Look look = base_.look(path);
    return look.access == Access::kHide && look.rule >= 0 &&
           base_.rules()[static_cast<std::size_t>(look.rule)].origin.source != Source::kPreset;
  }

  void show_entries(const std::string& directory, int depth) {
    auto entries = host_.list(directory);
    if (!entries || depth == kDeepest) return;
    std::sort(entries->begin(), entries->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    for (const HostEntry& entry : *entries) show(paths::join(directory, entry.name), entry.kind, depth);
  }

  void show(const std::string& path, HostKind kind, int depth) {
    if (spoken_.contains(path) || std::find(kNotShown.begin(), kNotShown.end(), path) != kNotShown.end()) return;
    if (hidden_by_user(path) || secrets_.is_secret(path)) return;
    if (kind == HostKind::kSymlink) {
      const auto target = host_.resolve(path);
      // A link to somewhere else shows nothing that is not shown for its own sake.
      if (!target || !paths::beneath(target->canonical, secrets_.home()) || secrets_.is_secret(target->canonical) ||
          hidden_by_user(target->canonical) || above_.contains(target->canonical))
        return;
    } else if (kind != HostKind::kDirectory && kind != HostKind::kFile) {
      return;
    }
    if (above_.contains(path)) return show_entries(path, depth + 1);
    rule(path, Access::kRead);
    // What programs keep for themselves has no such files, and is large.
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
  TextSet spoken_;  // paths that a step of the base speaks of
  TextSet above_;   // directories above those that it makes up: they cannot be made in what is shown as a whole
};

}  // namespace

Policy wide_view(const policy::Scope& base, const Plan& plan, const Secrets& secrets, HostView& host) {
  return Widening(base, plan, secrets, host).run();
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
