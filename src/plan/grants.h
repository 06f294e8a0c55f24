// grants.h: the one flag that would allow what a plan denies.
// Invariant: a flag is offered only where giving it helps; never one that opens the whole home or "/".
// Not here: why a path is denied (plan_view.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/host_view.h"
#include "pinfold/grant.h"
#include "pinfold/report.h"
#include "plan/plan_view.h"

namespace pinfold::plan {

// The directory that makes a hidden tool work, when the path lies in one: "~/.foo/bin/x" → "~/.foo"; else the path.
std::string toolchain_root(const std::string& path, const std::string& home);

// "--read '/a b'"
std::string flag_of(const Grant& grant);
// For a path that the run may not create: a rule can name only an existing path, so the user creates it first.
void allow_once_made(const std::string& path, Denial& denial);
// Makes `allow_with` a note if it is a sentence, as "leave out --net '!a.org', and add --net a.org:80".
void move_note(Denial& denial);

Grant read_grant(const std::string& path, const std::string& home);
std::string read_flag(const std::string& path, const std::string& home);
// For changing the path, or making it; nothing where no single grant does.
std::optional<Grant> write_grant(const std::string& path, const PathLookup& lookup, const PlanView& view,
                                 HostView& host);
// For taking its name away, which is up to the directory around it.
std::optional<Grant> entry_grant(const std::string& path, const PlanView& view, HostView& host);

// The rule that forbids starting a visible program, and the flag that allows it. Nothing: it may be started.
struct ExecDenial {
  std::string rule;
  std::string flag;
};
// `path` is canonical; `name`: its name in the list of programs.
std::optional<ExecDenial> exec_denial(const PlanView& view, const std::string& path, std::string_view name);

}  // namespace pinfold::plan
