// judge.h: runs one row for one user: bare, then boxed, then looks at the host.
// Invariant: a row passes only if its bare control reached the target and the boxed run really made the attempt.
// Not here: the rows (table.h), what a finding means (verdict.h), printing (sheet.h).
#pragma once

#include <string>

#include "effects.h"
#include "sheet.h"
#include "table.h"
#include "world.h"

namespace escape {

Line judge(const Row& row, World& world);

// `pinfold run` on the world's backend with flags in the workspace, as this world's user.
Command boxed(const World& world, const Texts& flags, const Texts& argv, const std::string& cwd = {});
// The same, for a run whose coverage counts: it writes the world's report, unless the flags name another. Removes the
// one of the run before.
Command judged(const World& world, const Texts& flags, const Texts& argv, const std::string& cwd = {});
// What coverage says of a run with these flags; nothing is tried.
Coverage ask_coverage(const World& world, const Texts& flags, const std::string& cwd = {});

// Sets the line's outcome and its text about the host. `steps`: the steps that stop the attempt.
void conclude(Line& line, const Findings& findings, const Steps& steps, const Coverage& coverage, const World& world);

// Differences on the host, apart from the scratch tree: survivors, mounts, cgroups, the canary.
std::string host_harm(World& world, const Machine& before);

}  // namespace escape
