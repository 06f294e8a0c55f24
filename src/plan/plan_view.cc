// plan_view.cc: indexes a plan's path steps by path.
// Invariant: steps come shallow to deep, so at one path a later step (hide, protect) overrides an earlier one (show).
// Not here: the host's symlinks; callers pass canonical paths where they have them.
#include "plan/plan_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/paths.h"

namespace pinfold::plan {

namespace {

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || path.size() <= 1) return {};
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::vector<std::string> split_path(std::string_view value) {
  std::vector<std::string> out;
  while (!value.empty() && out.size() < 64) {
    const std::size_t colon = value.find(':');
    const std::string_view part = value.substr(0, colon);
    if (part.starts_with("/")) out.emplace_back(part);
    if (colon == std::string_view::npos) break;
    value.remove_prefix(colon + 1);
  }
  return out;
}

}  // namespace

PlanView::PlanView(const Plan& plan) {
  entries_.reserve(plan.steps.size());
  own_.assign(plan.own.begin(), plan.own.end());
  for (const Step& step : plan.steps) {
    if (const auto* show = std::get_if<ShowPath>(&step.body)) {
      const bool writable = show->view == View::kWrite || show->view == View::kWriteExec;
      put(show->at, writable ? PathState::kWritable : PathState::kReadOnly, step, false);
    } else if (const auto* hide = std::get_if<HidePath>(&step.body)) {
      put(hide->at, PathState::kHidden, step, false);
      for (const std::string& pin : hide->pins) pins_.try_emplace(pin, &step);
    } else if (const auto* protect = std::get_if<ProtectPath>(&step.body)) {
      put(protect->at, PathState::kProtected, step, false);
      for (const std::string& pin : protect->pins) pins_.try_emplace(pin, &step);
    } else if (const auto* name = std::get_if<ProtectName>(&step.body)) {
      made_.push_back(std::make_unique<std::string>(paths::join(name->parent, name->name)));
      put(*made_.back(), PathState::kProtected, step, false);
    } else if (const auto* directory = std::get_if<MakeDirectory>(&step.body)) {
      put(directory->at, PathState::kReadOnly, step, true);
    } else if (const auto* link = std::get_if<MakeLink>(&step.body)) {
      put(link->at, PathState::kReadOnly, step, true);
    } else if (const auto* file = std::get_if<MakeFile>(&step.body)) {
      put(file->at, PathState::kReadOnly, step, true);
    } else if (const auto* tmp = std::get_if<PrivateTmp>(&step.body)) {
      for (const std::string& at : tmp->at) put(at, PathState::kPrivate, step, false);
    } else if (std::holds_alternative<Devices>(step.body)) {
      put("/dev", PathState::kKernel, step, false);
    } else if (std::holds_alternative<Processes>(step.body)) {
      put("/proc", PathState::kKernel, step, false);
    } else if (const auto* exec = std::get_if<ExecLimit>(&step.body)) {
      exec_ = exec;
      exec_step_ = &step;
    } else if (std::holds_alternative<Network>(step.body)) {
      network_step_ = &step;
    } else if (const auto* environment = std::get_if<Environment>(&step.body)) {
      for (const Variable& variable : environment->variables) {
        if (variable.name == "HOME" && variable.value.starts_with("/")) home_ = variable.value;
        if (variable.name == "PATH") path_ = split_path(variable.value);
      }
    }
  }
}

void PlanView::put(std::string_view at, PathState state, const Step& step, bool made_up) {
  // A directory that Pinfold makes up never replaces a real step for the same path.
  const auto [it, added] = entries_.try_emplace(at, Entry{state, &step, made_up});
  if (!added && !made_up) it->second = Entry{state, &step, made_up};
}

const Step* PlanView::pin(std::string_view path) const {
  const auto it = pins_.find(path);
  return it == pins_.end() ? nullptr : it->second;
}

PathLookup PlanView::look_up(std::string_view path) const {
  for (std::string_view at = path; !at.empty(); at = parent_of(at)) {
    const auto it = entries_.find(at);
    if (it == entries_.end()) continue;
    const Entry& entry = it->second;
    if (entry.made_up && at.size() != path.size()) break;  // below a stub there is nothing
    if (entry.state == PathState::kHidden && is_own(path))
      return {PathState::kHidden, entry.step, it->first, "not visible: Pinfold's own directory", true};
    return {entry.state, entry.step, it->first, rule(at, entry)};
  }
  if (is_own(path)) return {PathState::kHidden, nullptr, {}, "not visible: Pinfold's own directory", true};
  return {PathState::kHidden, nullptr, {}, "not visible: no rule grants this path"};
}

bool PlanView::is_own(std::string_view path) const {
  return std::any_of(own_.begin(), own_.end(), [&](std::string_view own) { return paths::at_or_beneath(path, own); });
}

std::string PlanView::rule(std::string_view at, const Entry& entry) const {
  const std::string& where = entry.step->origin.where;
  const std::string from = where.empty() ? std::string() : fmt::format(" ({})", where);
  switch (entry.state) {
    case PathState::kHidden: {
      const auto* hide = std::get_if<HidePath>(&entry.step->body);
      if (hide != nullptr && !hide->pattern.empty()) return fmt::format("hidden by pattern {}{}", hide->pattern, from);
      return "hidden" + from;
    }
    case PathState::kReadOnly: return entry.made_up ? "read-only: made up for the sandbox" : "read-only" + from;
    case PathState::kPrivate: return fmt::format("not visible: {} is private to the run", at);
    case PathState::kKernel: return fmt::format("the sandbox has its own {}", at);
    case PathState::kWritable: return "writable" + from;
    case PathState::kProtected: break;
  }
  // The name as the rule has it: relative to the writable root around it.
  std::string_view name = at;
  for (std::string_view up = parent_of(at); !up.empty(); up = parent_of(up)) {
    const auto it = entries_.find(up);
    if (it == entries_.end() || it->second.state != PathState::kWritable) continue;
    name = paths::relative(at, up);
    break;
  }
  return fmt::format("protected name {}{}", name, from);
}

}  // namespace pinfold::plan
