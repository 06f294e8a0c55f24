// host.h: looks at the host before and after: the scratch tree, mounts, cgroups, processes, shared directories.
// Invariant: what differs is named; other people's runs on the same machine are not mistaken for ours.
// Not here: deciding which differences a row allows (judge.h).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "support.h"

namespace escape {

// Path below the root → type, mode, owner, size, time, content, target. Private caches are left out.
using Tree = std::map<std::string, std::string>;
Tree look_at_tree(const std::string& root);
// "+path", "-path" or "~path" for what appeared, vanished or changed; paths below `allowed` entries are left out, and
// those that start like an entry that ends in '*'.
Texts differences(const Tree& before, const Tree& after, const Texts& allowed);
// The first of them in words, with old and new state; empty if there is none.
std::string differences_text(const Tree& before, const Tree& after, const Texts& allowed);

// What a run may leave outside the scratch tree.
struct Machine {
  std::set<std::string> mounts;
  std::set<std::string> cgroups;
  std::set<std::string> names;  // entries called *pinfold* in /tmp, /var/tmp, /dev/shm, /run and the runtime directory
};
Machine look_at_machine();
// New entries that stay for as long as a janitor may take.
std::string left_behind(const Machine& before);
// Removes what left_behind() found of cgroups, so that one failure is not reported again and again.
void remove_left_cgroups(const Machine& before);

// This process adopts orphans, so that nothing a run leaves can hide. Call once.
void adopt_orphans();
// A mount namespace of this process's own, so that mounts of other programs are not taken for a run's. Call once.
void own_mounts();
// Children of this process that are not expected; waits up to `patience` for them to go. Reaps the dead.
std::string survivors(const std::set<pid_t>& expected, Milliseconds patience);
// Kills and reaps them.
void end_survivors(const std::set<pid_t>& expected);
// Processes that name `text` in their command line, working directory or executable, but for the expected ones.
std::string processes_that_name(const std::string& text, const std::set<pid_t>& expected);

}  // namespace escape
