// grants.h: the one flag that would allow what a plan denies.
// Invariant: a flag is offered only where giving it helps; never one that opens the whole home or "/".
// Not here: what was denied, and why (plan_view.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/host_view.h"
#include "pinfold/grant.h"
#include "plan/plan_view.h"

namespace pinfold::plan {

// The directory that makes a hidden tool work, when the path lies in one: "~/.foo/bin/x" → "~/.foo"; else the path.
std::string toolchain_root(const std::string& path, const std::string& home);

// "--read '/a b'"
std::string flag_of(const Grant& grant);
// For what the run may not make itself: only what exists can be allowed by name, so the user makes it first.
std::string flag_once_made(const std::string& path);

Grant read_grant(const std::string& path, const std::string& home);
std::string read_flag(const std::string& path, const std::string& home);
// For changing the path, or making it; nothing where no single grant does.
std::optional<Grant> write_grant(const std::string& path, const PathFate& fate, const PlanView& view, HostView& host);
// For taking its name away, which is up to the directory around it.
std::optional<Grant> entry_grant(const std::string& path, const PlanView& view, HostView& host);

// What keeps a program that is shown from being started, and the flag that lets it; nothing: it may be.
struct NotStarted {
  std::string rule;
  std::string flag;
};
// `path` is canonical; `name`: what to call it in a list.
std::optional<NotStarted> not_started(const PlanView& view, const std::string& path, std::string_view name);

}  // namespace pinfold::plan
