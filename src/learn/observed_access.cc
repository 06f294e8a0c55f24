// observed_access.cc: denials by another plan, sorted.
#include "learn/observed_access.h"

#include <optional>
#include <string_view>
#include <utility>

namespace pinfold::learn {
namespace {

std::optional<Want> want_of(std::string_view operation) {
  if (operation == "look") return Want::kLook;
  if (operation == "read") return Want::kRead;
  if (operation == "exec") return Want::kExecute;
  if (operation == "write") return Want::kWrite;
  if (operation == "connect") return Want::kConnect;
  for (const std::string_view one : {"create", "delete", "rename", "bind"})
    if (operation == one) return Want::kRename;
  return std::nullopt;
}

}  // namespace

void Needs::add(const Denial& denial) {
  if (denial.source != DenialSource::kObserved) return;
  const bool is_path = denial.resource.starts_with("/");
  if (!is_path && (denial.operation == "connect" || denial.operation == "send")) {
    network_[denial.resource] += denial.count;
  } else if (const auto want = want_of(denial.operation); is_path && want) {
    Times& times = paths_[{denial.resource, denial.program, *want}];
    times.count += denial.count;
    if (denial.named.starts_with("/")) times.named = denial.named;
  }
}

void Needs::add(Need need, std::string named) {
  Times& times = paths_[std::move(need)];
  ++times.count;
  times.named = std::move(named);
}

void Needs::add(const Needs& run, End end) {
  for (const auto& [need, more] : run.paths_) {
    Times& times = paths_[need];
    times.count += more.count;
    if (!more.named.empty()) times.named = more.named;
    times.hindered = times.hindered || end == End::kBadly;
  }
  for (const auto& [host, count] : run.network_) network_[host] += count;
}

}  // namespace pinfold::learn
