// missing_own.cc: the missing own directories whose nearest existing ancestor is shown from the host.
#include "plan/missing_own.h"

#include <optional>

#include "base/paths.h"
#include "plan/plan_view.h"

namespace pinfold::plan {

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
    if (!view) view.emplace(plan);
    const PathLookup lookup = view->look_up(found->canonical);
    const auto* show = lookup.step == nullptr ? nullptr : std::get_if<ShowPath>(&lookup.step->body);
    const bool kept = lookup.state == PathState::kProtected;
    if (kept || (show != nullptr && show->host == show->at)) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace pinfold::plan
