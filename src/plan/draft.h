// draft.h: the state that the parts of the compiler share while they build a plan.
// Invariant: each part only adds steps; compile.cc puts them in order.
// Not here: the order, or the steps of each part.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/host_view.h"
#include "pinfold/plan.h"
#include "plan/compile.h"
#include "policy/scope.h"

namespace pinfold::plan {

struct Draft {
  const policy::Scope& scope;
  HostView& host;
  const Invocation& invocation;
  SearchBounds bounds;
  HostIdentity identity;
  Origin preset;  // the origin of steps that come from no single rule
  std::string working_dir;

  std::vector<Step> first;   // identity … limits
  std::vector<Step> paths;   // shown, hidden and made-up paths
  std::vector<Step> guards;  // protected paths and names, git
  std::vector<PlanGap> gaps;

  std::vector<std::string> roots;  // writable directories that are steps of their own, shallow to deep
  std::vector<Variable> variables;

  View view(Access access) const {
    const bool exec = scope.policy().exec.mode == ExecMode::kAny;
    if (access == Access::kWrite) return exec ? View::kWriteExec : View::kWrite;
    return exec ? View::kReadExec : View::kRead;
  }
  // With approval requests, names can be granted during the run: so the network mode is kDomains from the start.
  NetworkMode network_mode() const {
    const NetworkMode mode = scope.policy().network.mode;
    return invocation.asks && mode == NetworkMode::kNone ? NetworkMode::kDomains : mode;
  }
  bool visible(std::string_view path) const { return scope.look_up(path).access != Access::kHide; }
  bool is_shown_or_own(std::string_view path) const {
    const policy::ScopeLookup lookup = scope.look_up(path);
    return lookup.access != Access::kHide || lookup.sandbox_directory != policy::SandboxDirectory::kNone;
  }
  template <typename Body>
  static Step step(Body body, Need need, Origin origin) {
    return Step{StepBody(std::move(body)), need, std::move(origin)};
  }
};

inline EntryKind entry_kind(HostKind kind) {
  return kind == HostKind::kDirectory ? EntryKind::kDirectory : EntryKind::kFile;
}
// Every source except a preset is an explicit choice of the user.
inline Need need_of(const Origin& origin) {
  return origin.source == Source::kPreset ? Need::kBestEffort : Need::kRequired;
}

void add_shows(Draft& draft);        // shows.cc: path rules, links, kernel mounts
void add_home(Draft& draft);         // home.cc: the made-up home directory
void add_host_traces(Draft& draft);  // host_traces.cc: which host this is; needs the shows
// names.cc: a made-up file where the host has another. False: nothing can be made there.
bool make_file(Draft& draft, const std::string& path, std::string content, const Origin& origin);
void add_name_service(Draft& draft);        // names.cc: how programs resolve names; needs the shows
Step environment(Draft& draft);             // environment.cc; sets draft.variables
Result<void> add_exec_limit(Draft& draft);  // exec.cc; needs the environment
Result<void> add_search(Draft& draft);      // search.cc: patterns and protected names; needs the shows
void add_spelling_gaps(Draft& draft);       // spelling.cc; needs the search

}  // namespace pinfold::plan
