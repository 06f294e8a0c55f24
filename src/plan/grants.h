// grants.h: the one flag that would allow what a plan denies.
// Invariant: a flag is offered only where giving it helps; never one that opens the whole home or "/".
// Not here: what was denied, and why (plan_view.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/host_view.h"
#include "plan/plan_view.h"

namespace pinfold::plan {

// The directory that makes a hidden tool work, when the path lies in one: "~/.foo/bin/x" → "~/.foo"; else the path.
std::string toolchain_root(const std::string& path, const std::string& home);

std::string read_flag(const std::string& path, const std::string& home);
// For changing the path, or making it; empty where no single flag does.
std::string write_flag(const std::string& path, const PathFate& fate, const PlanView& view, HostView& host);
// For taking its name away, which is up to the directory around it.
std::string entry_flag(const std::string& path, const PlanView& view, HostView& host);

// What keeps a program that is shown from being started, and the flag that lets it; nothing: it may be.
struct NotStarted {
  std::string rule;
  std::string flag;
};
// `path` is canonical; `name`: what to call it in a list.
std::optional<NotStarted> not_started(const PlanView& view, const std::string& path, std::string_view name);

}  // namespace pinfold::plan
