// missing_own.cc: the missing own directories whose nearest existing ancestor is shown from the host.
#include "plan/missing_own.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "base/paths.h"
#include "plan/plan_view.h"

namespace pinfold::plan {
namespace {

// Saves most runs the view of the plan, which costs more than all the rest here.
bool is_below_shown(const Plan& plan, const std::string& path) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* show = std::get_if<ShowPath>(&step.body);
    return show != nullptr && show->host == show->at && paths::at_or_beneath(path, show->at);
  });
}

}  // namespace

std::vector<policy::OwnDirectory> missing_own(const Plan& plan, HostView& host) {
  std::vector<policy::OwnDirectory> out;
  if (plan.own.empty()) return out;
  std::optional<PlanView> view;
  for (policy::OwnDirectory& one : policy::own_directories(host)) {
    if (host.kind(one.path) != HostKind::kMissing) continue;
    std::string above(paths::parent(one.path));
    while (above.size() > 1 && host.kind(above) == HostKind::kMissing) above = paths::parent(above);
    const auto found = host.resolve(above);
    if (!found) continue;
    if (!is_below_shown(plan, found->canonical)) continue;
    if (!view) view.emplace(plan);
    const PathLookup lookup = view->look_up(found->canonical);
    const auto* show = lookup.step == nullptr ? nullptr : std::get_if<ShowPath>(&lookup.step->body);
    const bool kept = lookup.state == PathState::kProtected;
    if (kept || (show != nullptr && show->host == show->at)) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace pinfold::plan
