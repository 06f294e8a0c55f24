// merge_property_test.cc: merge() against a model that walks the sources in their order with a pencil.
// Invariant: for a single value the last source counts, lists grow, the workspaces of a later layer replace.
// Not here: mistakes (merge_test.cc), presets (presets_test.cc).
#include "policy/merge.h"

#include <gtest/gtest.h>

#include <map>

#include "base/domain.h"
#include "base/property.h"
#include "base/units.h"
#include "policy/presets.h"
#include "policy/property_world.h"

namespace pinfold::policy {
namespace {

using Layer = std::vector<Setting>;

bool grows(Key key) {
  return key == Key::kRead || key == Key::kWrite || key == Key::kHide || key == Key::kProtect || key == Key::kEnv ||
         key == Key::kWorkspace;
}

// Each single value at most once, as in a file; exec and network in one form.
Layer random_layer(const World& world, int most) {
  Layer out;
  std::map<Key, bool> used;
  for (Setting& one : random_settings(world, most))
    if (grows(one.key) || !std::exchange(used[one.key], true)) out.push_back(std::move(one));
  if (used[Key::kExec] && *rc::gen::arbitrary<bool>())
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i].key == Key::kExec && out[i].value != "any" && out[i].value != "none") {
        out.push_back({Key::kExec, "ls", "somewhere"});
        break;
      }
  return out;
}

// The settings of all layers, the earliest first.
struct Expected {
  explicit Expected(const std::vector<Layer>& layers) {
    for (const Layer& layer : layers) {
      std::map<Key, std::vector<std::string>> here;
      for (const Setting& one : layer) here[one.key].push_back(one.value);
      for (auto& [key, values] : here) {
        auto& all = by_key[key];
        const bool keep = grows(key) && key != Key::kWorkspace;
        if (!keep) all.clear();
        all.insert(all.end(), values.begin(), values.end());
      }
    }
  }
  // The last value, or the preset's.
  std::string last(Key key, std::string otherwise) const {
    const auto it = by_key.find(key);
    return it == by_key.end() ? std::move(otherwise) : it->second.back();
  }
  Names list(Key key) const {
    const auto it = by_key.find(key);
    return it == by_key.end() ? Names{} : it->second;
  }
  std::map<Key, Names> by_key;
};

template <typename Rules, typename Text>
Names beyond_preset(const Rules& rules, Text text) {
  Names out;
  for (const auto& one : rules)
    if (one.origin.source != Source::kPreset) out.push_back(text(one));
  return out;
}

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

void expect_equal(const Policy& policy, const Policy& preset, const Expected& expected) {
  const auto last = [&](Key key, const auto& fallback) { return expected.last(key, fallback); };
  const auto time = [](const auto& limit) { return limit ? units::format_duration(limit->value) : std::string("-"); };
  const auto size = [](const auto& limit) { return limit ? units::format_size(limit->value) : std::string("-"); };
  const auto count = [](const auto& limit) { return limit ? std::to_string(limit->value) : std::string("-"); };
  const auto word = [](auto value, const char* first, const char* second) {
    return std::string(static_cast<int>(value) == 0 ? first : second);
  };
  const auto access = [](Access value) { return std::string(value == Access::kWrite ? "write" : "read"); };
  const auto gap = [](OnUnavailable value) {
    return std::string(value == OnUnavailable::kDeny ? "deny" : value == OnUnavailable::kPrompt ? "prompt" : "warn");
  };
  RC_ASSERT(access(policy.workspace_access) == last(Key::kWorkspaceAccess, access(preset.workspace_access)));
  RC_ASSERT(word(policy.home, "hidden", "host") == last(Key::kHome, word(preset.home, "hidden", "host")));
  RC_ASSERT(word(policy.tmp, "private", "host") == last(Key::kTmp, word(preset.tmp, "private", "host")));
  RC_ASSERT(word(policy.session, "true", "false") == last(Key::kNewSession, "true"));
  RC_ASSERT(word(policy.pid, "false", "true") == last(Key::kSharePid, "false"));
  RC_ASSERT(word(policy.debuggers, "false", "true") == last(Key::kDebuggers, word(preset.debuggers, "false", "true")));
  RC_ASSERT(observe_word(policy.observe) == last(Key::kObserve, "fast"));
  RC_ASSERT(ignored_word(policy.ignored) == last(Key::kIgnored, std::string(ignored_word(preset.ignored))));
  RC_ASSERT(word(policy.absolute_paths, "false", "true") ==
            last(Key::kAllowAbsolute, word(preset.absolute_paths, "false", "true")));
  RC_ASSERT(gap(policy.on_unavailable) == last(Key::kOnUnavailable, gap(preset.on_unavailable)));
  RC_ASSERT(time(policy.limits.wall_time) == last(Key::kTimeout, time(preset.limits.wall_time)));
  RC_ASSERT(size(policy.limits.memory) == last(Key::kMemory, size(preset.limits.memory)));
  RC_ASSERT(count(policy.limits.processes) == last(Key::kProcesses, count(preset.limits.processes)));
  RC_ASSERT(policy.limits.output_size.has_value() == preset.limits.output_size.has_value());
  const std::string net = policy.network.mode == NetworkMode::kFull      ? "full"
                          : policy.network.mode == NetworkMode::kDomains ? print_rule(policy.network.domains.at(0))
                                                                         : "none";
  RC_ASSERT(net == last(Key::kNetwork, preset.network.mode == NetworkMode::kFull ? "full" : "none"));
  Names exec = policy.exec.commands;
  if (policy.exec.mode == ExecMode::kAny) exec = {"any"};
  if (policy.exec.mode == ExecMode::kNone) exec = {"none"};
  RC_ASSERT(exec == (expected.by_key.count(Key::kExec) != 0 ? expected.list(Key::kExec)
                     : preset.exec.mode == ExecMode::kAny   ? Names{"any"}
                                                            : Names{"none"}));

  RC_ASSERT(beyond_preset(policy.environment, [](const EnvRule& one) {
              return one.name + (one.value ? "=" + *one.value : "");
            }) == expected.list(Key::kEnv));
  RC_ASSERT(beyond_preset(policy.protect, [](const ProtectRule& one) { return one.name; }) ==
            expected.list(Key::kProtect));
  Names workspaces = expected.list(Key::kWorkspace);
  if (workspaces.empty()) workspaces = {kMia.working_dir};
  std::set<std::string> once(workspaces.begin(), workspaces.end());
  RC_ASSERT(sorted(policy.workspaces) == Names(once.begin(), once.end()));
  for (const auto& [key, wanted] : {std::pair{Key::kRead, Access::kRead}, {Key::kWrite, Access::kWrite}}) {
    Names found;
    for (const PathRule& one : policy.paths)
      if (one.origin.source != Source::kPreset && !one.workspace && one.access == wanted &&
          one.origin.where == "somewhere" && !(one.path.ends_with("/tmp") && policy.tmp == TmpMode::kHost))
        found.push_back(one.path);
    Names values = expected.list(key);
    std::erase_if(values,
                  [&](const std::string& one) { return one.ends_with("/tmp") && policy.tmp == TmpMode::kHost; });
    RC_ASSERT(found == values);
  }
  Names hidden;
  for (const std::string& one : expected.list(Key::kHide))
    if (one.find_first_of("*?[{") != std::string::npos || one == "b") hidden.push_back(one);
  Names patterns = beyond_preset(policy.patterns, [](const HidePattern& one) { return one.glob; });
  std::erase(hidden, "b");  // no pattern character: a path
  RC_ASSERT(patterns == hidden);
}

TEST(MergeProperty, TheLatestSourceWins) {
  int merged = 0;
  EXPECT_EQ(holds("sources and profiles apply in their order", 400,
                  [&] {
                    World world;
                    Document user{"user.toml", Source::kUserFile, {"/w/a"}, {}, {}, random_layer(world, 4), {}, {}};
                    Document project{
                        "pinfold.toml", Source::kProjectFile, {"/w/a"}, {}, {}, random_layer(world, 4), {}, {}};
                    // A chain of profiles: first those of the user, then those of the project, on top of a preset.
                    const std::string preset = *rc::gen::elementOf(Names{"moderate", "strict", "permissive", "empty"});
                    std::string below = preset;
                    std::vector<Layer> order{user.settings};
                    const int chained = *rc::gen::inRange(0, 4);
                    for (int i = 0; i < chained; ++i) {
                      const std::string name = "u" + std::to_string(i);
                      user.profiles.push_back(
                          {name, "somewhere", Setting{Key::kInherits, below, "somewhere"}, random_layer(world, 3)});
                      order.push_back(user.profiles.back().settings);
                      below = name;
                    }
                    order.push_back(project.settings);
                    const int more = *rc::gen::inRange(0, 3);
                    for (int i = 0; i < more; ++i) {
                      const std::string name = "p" + std::to_string(i);
                      project.profiles.push_back(
                          {name, "somewhere", Setting{Key::kInherits, below, "somewhere"}, random_layer(world, 3)});
                      order.push_back(project.profiles.back().settings);
                      below = name;
                    }
                    std::reverse(user.profiles.begin(), user.profiles.end());  // their order in a file means nothing
                    Layers layers;
                    layers.caller = kMia;
                    layers.user = &user;
                    layers.project = &project;
                    layers.environment.settings = random_layer(world, 3);
                    layers.flags = random_layer(world, 3);
                    order.push_back(layers.environment.settings);
                    order.push_back(layers.flags);
                    const Setting chosen{Key::kProfile, below, "somewhere"};
                    switch (*rc::gen::inRange(0, 3)) {
                      case 0: project.profile = chosen; break;
                      case 1: layers.environment.settings.push_back(chosen); break;
                      default: layers.profile = chosen;
                    }
                    if (below == "empty") return;  // not offered by name
                    const auto policy = merge(layers);
                    if (!policy) {
                      RC_LOG(policy.error().text());
                      // Only a rule that the builder refuses everywhere: a path that cannot be shown.
                      RC_ASSERT(policy.error().text().find("cannot be ") != std::string::npos ||
                                policy.error().text().find("whole system writable") != std::string::npos ||
                                policy.error().text().find("/ cannot be protected") != std::string::npos);
                      return;
                    }
                    ++merged;
                    RC_ASSERT(policy->profile == preset);
                    Policy start;
                    apply_preset(preset, kMia, start);
                    expect_equal(*policy, start, Expected(order));
                  }),
            "");
  EXPECT_GT(merged, enough(150));
}

}  // namespace
}  // namespace pinfold::policy
