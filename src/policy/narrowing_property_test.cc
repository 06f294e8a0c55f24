// narrowing_property_test.cc: widenings() against a model that tries every path, variable, program and limit.
// Invariant: if the model finds more access, widenings() reports some; if widenings() reports more than the model, the
// report is one of the cases that narrowing.h names.
// Not here: its texts (narrowing_test.cc).
#include "policy/narrowing.h"

#include <gtest/gtest.h>

#include <set>

#include "base/domain.h"
#include "base/property.h"
#include "policy/merge.h"
#include "policy/property_world.h"

namespace pinfold::policy {
namespace {

// The value of one variable inside: the caller's own value, a chosen one, or nothing.
struct VariableValue {
  enum Kind { kNothing, kCallers, kChosen } kind = kNothing;
  std::string value;
  bool operator==(const VariableValue&) const = default;
};

// docs/reference/policy.md, Environment: a later source overrides; in one source a chosen value beats the caller's; a
// variable that the caller does not have cannot pass.
VariableValue value_of(const Policy& policy, const std::string& name, bool caller_has) {
  VariableValue out;
  Origin by;
  const auto later = [&](const Origin& now) { return out.kind == VariableValue::kNothing || overrides(now, by); };
  for (const EnvRule& rule : policy.environment) {
    const bool wild = rule.name.ends_with('*');
    if (wild ? !name.starts_with(rule.name.substr(0, rule.name.size() - 1)) : rule.name != name) continue;
    if (rule.value) {
      if (!later(rule.origin)) continue;
      out = {VariableValue::kChosen, *rule.value};
      by = rule.origin;
    } else if (caller_has && later(rule.origin) &&
               !(out.kind == VariableValue::kChosen && same_layer(rule.origin, by))) {
      out = {VariableValue::kCallers, {}};
      by = rule.origin;
    }
  }
  return out;
}

bool sees_more(const Policy& own, const Policy& requested) {
  // Every name that a rule of either means, and one more for each pattern.
  std::set<std::string> names(kVariables.begin(), kVariables.end());
  for (const Policy* policy : {&own, &requested})
    for (const EnvRule& rule : policy->environment)
      names.insert(rule.name.ends_with('*') ? rule.name.substr(0, rule.name.size() - 1) + "_X" : rule.name);
  for (const std::string& name : names)
    for (const bool caller_has : {false, true}) {
      const VariableValue before = value_of(own, name, caller_has);
      const VariableValue after = value_of(requested, name, caller_has);
      if (after == before || after.kind == VariableValue::kNothing) continue;
      // If no rule sets PATH, Pinfold does: the project cannot choose it.
      if (after.kind == VariableValue::kCallers || before.kind != VariableValue::kNothing || name == "PATH")
        return true;
    }
  return false;
}

bool may_start(const Policy& policy, const std::string& command) {
  const auto& list = policy.exec.commands;
  return policy.exec.mode == ExecMode::kAny ||
         (policy.exec.mode == ExecMode::kList && std::find(list.begin(), list.end(), command) != list.end());
}

bool reaches(const NetworkRule& network, std::string_view host, std::uint16_t port) {
  return network.mode == NetworkMode::kFull ||
         (network.mode == NetworkMode::kDomains && decide(network.domains, host, port).allowed);
}

template <typename T>
bool higher(const std::optional<Limit<T>>& own, const std::optional<Limit<T>>& requested) {
  return own && (!requested || requested->value > own->value);
}

// What `requested` allows beyond `own`: paths, and for other kinds the first word of the widening.
std::set<std::string> more(const Scope& own, const Scope& requested, const std::set<std::string>& everywhere) {
  const Policy& a = own.policy();
  const Policy& b = requested.policy();
  std::set<std::string> out;
  std::set<std::string> all = everywhere;
  for (const Scope* scope : {&own, &requested})
    for (const ScopeRule& rule : scope->rules()) all.insert(rule.path);
  for (const std::string& path : all)
    if (requested.look_up(path).access > own.look_up(path).access) out.insert(path);
  if (sees_more(a, b)) out.insert("variable");
  for (const std::string& command : kCommands)
    if (may_start(b, command) && !may_start(a, command)) out.insert("starting");
  for (const char* host : {"a.org", "b.org", "c.b.org", "org"})
    for (const std::uint16_t port : {std::uint16_t{80}, std::uint16_t{443}, std::uint16_t{22}})
      if (reaches(b.network, host, port) && !reaches(a.network, host, port)) out.insert("network");
  if (b.network.mode == NetworkMode::kFull && a.network.mode != NetworkMode::kFull) out.insert("network");
  if (higher(a.limits.wall_time, b.limits.wall_time)) out.insert("time");
  if (higher(a.limits.memory, b.limits.memory)) out.insert("memory");
  if (higher(a.limits.processes, b.limits.processes)) out.insert("processes");
  if (higher(a.limits.file_size, b.limits.file_size)) out.insert("file");
  if (higher(a.limits.output_size, b.limits.output_size)) out.insert("output");
  if (b.home > a.home || b.tmp > a.tmp || b.session > a.session || b.pid > a.pid) out.insert("the");
  if (b.debuggers > a.debuggers) out.insert("debuggers");
  if (b.observe > a.observe) out.insert("observe");
  if (b.ignored > a.ignored) out.insert("ignored");
  if (b.absolute_paths > a.absolute_paths) out.insert("absolute");
  if (b.on_unavailable > a.on_unavailable) out.insert("on_unavailable");
  return out;
}

std::string print(const std::vector<Setting>& settings) {
  std::string out;
  for (const Setting& one : settings) out += "  " + std::string(info(one.key).name) + " = " + one.value + "\n";
  return out;
}

// Was this reported, or is it below a reported path, or matched by a reported pattern or name?
bool covers(const Widening& report, const std::string& thing) {
  const std::size_t space = report.what.find(' ');
  const std::string kind = report.what.substr(0, space);
  if (!thing.starts_with('/')) return kind == thing;
  if (kind == "files" || kind == "changing") return true;
  return (kind == "read" || kind == "write") && paths::at_or_beneath(thing, report.what.substr(space + 1));
}

// Kinds of widening that may be reported though the model finds nothing: see narrowing.h.
bool may_be_careful(const std::string& what) {
  return what.starts_with("files that match ") || what.starts_with("changing ") || what.ends_with('*');
}

// How often each thing happened, so that a test that compares nothing does not pass.
struct Tally {
  int compared = 0;
  int silent = 0;
  int careful = 0;
};

void compare(World& world, Document& user, Document& project, const std::vector<Setting>& flags, Tally& tally) {
  Layers layers;
  layers.caller = kMia;
  layers.user = &user;
  layers.flags = flags;
  const auto own = merge(layers);
  layers.project = &project;
  const auto requested = merge(layers);
  if (!own || !requested) return;
  const auto before = Scope::build(*own, world.host);
  const auto after = Scope::build(*requested, world.host);
  if (!before || !after) return;
  const auto wider = more(*before, *after, world.compared);
  const auto found = widenings(*before, *after);
  ++tally.compared;
  tally.silent += found.empty() ? 1 : 0;
  RC_LOG("user\n" + print(user.settings) + "project\n" + print(project.settings) + "flags\n" + print(flags));
  for (const Document* document : {&user, &project})
    for (const Profile& one : document->profiles) RC_LOG("profile " + one.name + "\n" + print(one.settings));
  RC_LOG("own " + own->profile + " " + own->custom + ", asked " + requested->profile + " " + requested->custom + "\n");
  for (const Widening& one : found) RC_LOG("found: " + one.what + ", but you: " + one.than + "\n");
  for (const std::string& thing : wider) {
    RC_LOG("wider: " + thing + "\n");
    RC_ASSERT(std::any_of(found.begin(), found.end(), [&](const Widening& one) { return covers(one, thing); }));
  }
  for (const Widening& one : found) {
    if (std::any_of(wider.begin(), wider.end(), [&](const auto& thing) { return covers(one, thing); })) continue;
    const std::string path = one.what.substr(one.what.find(' ') + 1);
    if (path.starts_with('/') && after->look_up(path).access > before->look_up(path).access) continue;
    ++tally.careful;
    RC_LOG("nothing is wider: " + one.what + "\n");
    RC_ASSERT(may_be_careful(one.what));
  }
}

Setting profile_of(const Names& names) { return {Key::kProfile, *rc::gen::elementOf(names), "somewhere"}; }
Profile random_profile(std::string name, const World& world, const Keys& keys) {
  return {std::move(name), "somewhere", Setting{Key::kInherits, "empty", "somewhere"}, random_settings(world, 5, keys)};
}

TEST(NarrowingProperty, ReportsEveryWidening) {
  Tally tally;
  EXPECT_EQ(holds("widenings() finds what a model finds", 250,
                  [&] {
                    World world;
                    Document user{"user.toml", Source::kUserFile, {}, {}, {}, random_settings(world, 5), {}, {}};
                    Document project{
                        "pinfold.toml", Source::kProjectFile, {"/w/a"}, {}, {}, random_settings(world, 4), {}, {}};
                    user.profiles.push_back(random_profile("bare", world, kAllKeys));
                    const Names profiles = {"moderate", "strict", "permissive", "read-only", "bare"};
                    if (*rc::gen::inRange(0, 3) != 0) user.profile = profile_of(profiles);
                    if (*rc::gen::inRange(0, 4) == 0) project.profile = profile_of(profiles);
                    compare(world, user, project, random_settings(world, 2), tally);
                  }),
            "");
  EXPECT_GT(tally.compared, enough(100));
  EXPECT_GT(tally.silent, enough(40)) << "too few project files only narrow";
}

// Only paths, names and patterns, between profiles that begin empty: they meet much more often.
TEST(NarrowingProperty, GivesNoPathMoreAccess) {
  Tally tally;
  EXPECT_EQ(
      holds("widenings() finds every path that a model finds", 500,
            [&] {
              World world;
              Document user{"user.toml", Source::kUserFile, {}, {}, {}, random_settings(world, 2, kPathKeys), {}, {}};
              Document project{
                  "pinfold.toml", Source::kProjectFile, {"/w/a"}, {}, {}, random_settings(world, 2, kPathKeys), {}, {}};
              user.profiles = {random_profile("one", world, kPathKeys), random_profile("two", world, kPathKeys)};
              user.profile = profile_of({"one"});
              project.profile = profile_of({"one", "two"});
              // The second profile is the first with something left out or added: then the difference usually has an
              // effect.
              if (*rc::gen::inRange(0, 3) != 0) {
                user.profiles[1].settings = user.profiles[0].settings;
                auto& settings = user.profiles[1].settings;
                if (!settings.empty())
                  settings.erase(settings.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(settings)));
              }
              compare(world, user, project, {}, tally);
            }),
      "");
  EXPECT_GT(tally.compared, enough(100));
  EXPECT_GT(tally.silent, enough(40)) << "too few project files only narrow";
}

}  // namespace
}  // namespace pinfold::policy
