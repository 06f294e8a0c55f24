// narrowing_property_test.cc: widenings() against a model that tries every path, variable, program and limit.
// Invariant: where the model finds more, widenings() is not silent; where it speaks though the model finds nothing, it
// is about one of the cases that narrowing.h names.
// Not here: its words (narrowing_test.cc).
#include "policy/narrowing.h"

#include <gtest/gtest.h>

#include <set>

#include "base/domain.h"
#include "base/property.h"
#include "policy/merge.h"
#include "policy/property_world.h"

namespace pinfold::policy {
namespace {

// What the command sees of one variable: the caller's own value, a chosen one, or nothing.
struct Seen {
  enum Kind { kNothing, kCallers, kChosen } kind = kNothing;
  std::string value;
  bool operator==(const Seen&) const = default;
};

// docs/policy.md, Environment: a later source overrides; in one source a chosen value beats the caller's; what the
// caller does not have cannot pass.
Seen seen(const Policy& policy, const std::string& name, bool caller_has) {
  Seen out;
  Origin by;
  const auto later = [&](const Origin& now) { return out.kind == Seen::kNothing || overrides(now, by); };
  for (const EnvRule& rule : policy.environment) {
    const bool wild = rule.name.ends_with('*');
    if (wild ? !name.starts_with(rule.name.substr(0, rule.name.size() - 1)) : rule.name != name) continue;
    if (rule.value) {
      if (!later(rule.origin)) continue;
      out = {Seen::kChosen, *rule.value};
      by = rule.origin;
    } else if (caller_has && later(rule.origin) && !(out.kind == Seen::kChosen && same_layer(rule.origin, by))) {
      out = {Seen::kCallers, {}};
      by = rule.origin;
    }
  }
  return out;
}

bool sees_more(const Policy& own, const Policy& asked) {
  // Every name that a rule of either means, and one more for each pattern.
  std::set<std::string> names(kVariables.begin(), kVariables.end());
  for (const Policy* policy : {&own, &asked})
    for (const EnvRule& rule : policy->environment)
      names.insert(rule.name.ends_with('*') ? rule.name.substr(0, rule.name.size() - 1) + "_X" : rule.name);
  for (const std::string& name : names)
    for (const bool caller_has : {false, true}) {
      const Seen before = seen(own, name, caller_has);
      const Seen after = seen(asked, name, caller_has);
      if (after == before || after.kind == Seen::kNothing) continue;
      // Where nothing gives PATH a value, Pinfold does: it is not the project's to choose.
      if (after.kind == Seen::kCallers || before.kind != Seen::kNothing || name == "PATH") return true;
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
bool higher(const std::optional<Limit<T>>& own, const std::optional<Limit<T>>& asked) {
  return own && (!asked || asked->value > own->value);
}

// Of what `asked` allows more: paths, and for anything else the word that widenings() begins with.
std::set<std::string> more(const Scope& own, const Scope& asked, const std::set<std::string>& everywhere) {
  const Policy& a = own.policy();
  const Policy& b = asked.policy();
  std::set<std::string> out;
  std::set<std::string> all = everywhere;
  for (const Scope* scope : {&own, &asked})
    for (const ScopeRule& rule : scope->rules()) all.insert(rule.path);
  for (const std::string& path : all)
    if (asked.look(path).access > own.look(path).access) out.insert(path);
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

std::string told(const std::vector<Setting>& settings) {
  std::string out;
  for (const Setting& one : settings) out += "  " + std::string(info(one.key).name) + " = " + one.value + "\n";
  return out;
}

// Is this what was told, or does it lie below a path, or under a pattern or name, that was told?
bool tells(const Widening& told, const std::string& thing) {
  const std::size_t space = told.what.find(' ');
  const std::string kind = told.what.substr(0, space);
  if (!thing.starts_with('/')) return kind == thing;
  if (kind == "files" || kind == "changing") return true;
  return (kind == "read" || kind == "write") && paths::at_or_beneath(thing, told.what.substr(space + 1));
}

// Kinds of widening that may be told though the model finds nothing: see narrowing.h.
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
  const auto asked = merge(layers);
  if (!own || !asked) return;
  const auto before = Scope::build(*own, world.host);
  const auto after = Scope::build(*asked, world.host);
  if (!before || !after) return;
  const auto wider = more(*before, *after, world.asked);
  const auto found = widenings(*before, *after);
  ++tally.compared;
  tally.silent += found.empty() ? 1 : 0;
  RC_LOG("user\n" + told(user.settings) + "project\n" + told(project.settings) + "flags\n" + told(flags));
  for (const Document* document : {&user, &project})
    for (const Profile& one : document->profiles) RC_LOG("profile " + one.name + "\n" + told(one.settings));
  RC_LOG("own " + own->profile + " " + own->custom + ", asked " + asked->profile + " " + asked->custom + "\n");
  for (const Widening& one : found) RC_LOG("found: " + one.what + ", but you: " + one.than + "\n");
  for (const std::string& thing : wider) {
    RC_LOG("wider: " + thing + "\n");
    RC_ASSERT(std::any_of(found.begin(), found.end(), [&](const Widening& one) { return tells(one, thing); }));
  }
  for (const Widening& one : found) {
    if (std::any_of(wider.begin(), wider.end(), [&](const auto& thing) { return tells(one, thing); })) continue;
    const std::string path = one.what.substr(one.what.find(' ') + 1);
    if (path.starts_with('/') && after->look(path).access > before->look(path).access) continue;
    ++tally.careful;
    RC_LOG("nothing is wider: " + one.what + "\n");
    RC_ASSERT(may_be_careful(one.what));
  }
}

Setting profile_of(const Names& names) { return {Key::kProfile, *rc::gen::elementOf(names), "somewhere"}; }
Profile random_profile(std::string name, const World& world, const Keys& keys) {
  return {std::move(name), "somewhere", Setting{Key::kInherits, "empty", "somewhere"}, random_settings(world, 5, keys)};
}

TEST(NarrowingProperty, NothingWiderIsSilent) {
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
TEST(NarrowingProperty, NoPathIsWider) {
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
              // The second profile is the first with something left out or added: then what differs is seldom drowned.
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
