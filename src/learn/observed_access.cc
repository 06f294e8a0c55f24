// observed_access.cc: sorts denials by path, program and kind.
#include "learn/observed_access.h"

#include <optional>
#include <string_view>
#include <utility>

namespace pinfold::learn {
namespace {

std::optional<AccessKind> kind_of_operation(std::string_view operation) {
  if (operation == "look") return AccessKind::kLook;
  if (operation == "read") return AccessKind::kRead;
  if (operation == "exec") return AccessKind::kExecute;
  if (operation == "write") return AccessKind::kWrite;
  if (operation == "connect") return AccessKind::kConnect;
  for (const std::string_view one : {"create", "delete", "rename", "bind"})
    if (operation == one) return AccessKind::kRename;
  return std::nullopt;
}

}  // namespace

void ObservedAccess::add(const Denial& denial) {
  if (denial.source != DenialSource::kObserved) return;
  const bool is_path = denial.resource.starts_with("/");
  if (!is_path && (denial.operation == "connect" || denial.operation == "send")) {
    network_[denial.resource] += denial.count;
  } else if (const auto kind = kind_of_operation(denial.operation); is_path && kind) {
    AccessStats& stats = paths_[{denial.resource, denial.program, *kind}];
    stats.count += denial.count;
    if (denial.named.starts_with("/")) stats.named = denial.named;
  }
}

void ObservedAccess::add(AccessRecord record, std::string named) {
  AccessStats& stats = paths_[std::move(record)];
  ++stats.count;
  stats.named = std::move(named);
}

void ObservedAccess::add(const ObservedAccess& run, End end) {
  for (const auto& [record, more] : run.paths_) {
    AccessStats& stats = paths_[record];
    stats.count += more.count;
    if (!more.named.empty()) stats.named = more.named;
    stats.in_failed_run = stats.in_failed_run || end == End::kFailure;
  }
  for (const auto& [host, count] : run.network_) network_[host] += count;
}

}  // namespace pinfold::learn
