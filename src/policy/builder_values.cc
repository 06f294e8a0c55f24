// builder_values.cc: PolicyBuilder: limits and the other settings that have one value.
// Invariant: a later source replaces an earlier one; a value that cannot be parsed is a problem with its origin and
// fix.
// Not here: paths, programs, network and variables (builder.cc).
#include "base/edit_distance.h"
#include "base/text.h"
#include "base/units.h"
#include "pinfold/policy.h"

namespace pinfold {
namespace {

using std::string_view;
using text::shown;

template <typename T>
void choose(T& slot, Origin& by, T value, const Origin& origin) {
  if (!overrides(origin, by)) return;
  slot = value;
  by = origin;
}

template <typename T, typename Parsed>
std::optional<Error> set_limit(std::optional<Limit<T>>& slot, Parsed parsed, const Origin& origin) {
  if (!parsed) return std::move(parsed).error();
  if (!slot || overrides(origin, slot->origin)) slot = Limit<T>{*parsed, origin};
  return std::nullopt;
}

}  // namespace

PolicyBuilder& PolicyBuilder::allow(const danger::SharePid& reason, const Origin& origin) {
  if (reason.why().empty())
    problem(origin, "sharing processes needs a reason", "pass the reason to danger::SharePid");
  else
    choose(policy_.pid, policy_.pid_origin, PidMode::kShared, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::private_processes(const Origin& origin) {
  choose(policy_.pid, policy_.pid_origin, PidMode::kPrivate, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::timeout(string_view text, const Origin& origin) {
  if (auto e = set_limit(policy_.limits.wall_time, units::parse_duration(text), origin))
    problem(origin, e->text(), e->fix());
  return *this;
}

PolicyBuilder& PolicyBuilder::memory(string_view text, const Origin& origin) {
  if (auto e = set_limit(policy_.limits.memory, units::parse_size(text), origin)) problem(origin, e->text(), e->fix());
  return *this;
}

PolicyBuilder& PolicyBuilder::processes(string_view text, const Origin& origin) {
  if (auto e = set_limit(policy_.limits.processes, units::parse_count(text), origin))
    problem(origin, e->text(), e->fix());
  return *this;
}

PolicyBuilder& PolicyBuilder::cpu_time(string_view text, const Origin& origin) {
  if (auto e = set_limit(policy_.limits.cpu_time, units::parse_duration(text), origin))
    problem(origin, e->text(), e->fix());
  return *this;
}

PolicyBuilder& PolicyBuilder::file_size(string_view text, const Origin& origin) {
  if (auto e = set_limit(policy_.limits.file_size, units::parse_size(text), origin))
    problem(origin, e->text(), e->fix());
  return *this;
}

PolicyBuilder& PolicyBuilder::output_limit(string_view text, const Origin& origin) {
  if (auto e = set_limit(policy_.limits.output_size, units::parse_size(text), origin))
    problem(origin, e->text(), e->fix());
  return *this;
}

PolicyBuilder& PolicyBuilder::on_unavailable(string_view text, Origin origin) {
  OnUnavailable choice = OnUnavailable::kDeny;
  if (text == "prompt")
    choice = OnUnavailable::kPrompt;
  else if (text == "warn")
    choice = OnUnavailable::kWarn;
  else if (text != "deny") {
    const auto near = closest_word(text, {"deny", "prompt", "warn"});
    problem(origin, "\"" + shown(text) + "\" is not a value of --on-unavailable",
            near ? "did you mean " + std::string(*near) + "?" : "use deny, prompt or warn");
    return *this;
  }
  if (!overrides(origin, policy_.on_unavailable_origin)) return *this;
  policy_.on_unavailable = choice;
  policy_.on_unavailable_origin = std::move(origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::session(SessionMode mode, const Origin& origin) {
  choose(policy_.session, policy_.session_origin, mode, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::tmp(TmpMode mode, const Origin& origin) {
  choose(policy_.tmp, policy_.tmp_origin, mode, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::home(HomeMode mode, const Origin& origin) {
  choose(policy_.home, policy_.home_origin, mode, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::debuggers(Debuggers mode, const Origin& origin) {
  choose(policy_.debuggers, policy_.debuggers_origin, mode, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::observe(ObserveMode mode, const Origin& origin) {
  choose(policy_.observe, policy_.observe_origin, mode, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::ignored(Ignored mode, const Origin& origin) {
  choose(policy_.ignored, policy_.ignored_origin, mode, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::absolute_paths(AbsolutePaths mode, const Origin& origin) {
  choose(policy_.absolute_paths, policy_.absolute_paths_origin, mode, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::named(string_view custom_profile) {
  policy_.custom = custom_profile;
  return *this;
}

}  // namespace pinfold
