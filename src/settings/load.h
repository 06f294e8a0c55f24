// load.h: files, variables and flags → the policy of a run, and the refusal of a project file that requests too much.
// Invariant: access that a project's file requests beyond the user's own policy is never used without recorded consent
// to exactly that text. Not here: merging (policy/merge.h), the store (trust.h), asking (cli).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/merge.h"
#include "policy/narrowing.h"
#include "policy/scope.h"
#include "settings/files.h"

namespace pinfold::settings {

enum class SourceUse { kRead, kIgnore };

struct Sources {
  policy::Layers layers;  // caller, flags and profile; files and variables are filled in here
  SourceUse user_file = SourceUse::kRead;
  SourceUse project_file = SourceUse::kRead;
  SourceUse environment = SourceUse::kRead;
  std::optional<PolicyFile> named{};  // by the user, on the command line: in place of the project's, and trusted
};

struct LoadedPolicy {
  Policy policy;
  Origin chosen;  // the origin of the choice of profile
  std::optional<PolicyFile> user;
  std::optional<PolicyFile> project;
  std::optional<Policy> own;       // the policy without the project's file, where there is one
  std::optional<std::string> off;  // the origin of `enabled = false`, if it is set
  bool journal = true;             // runs are recorded
  std::vector<std::string> notes;  // for the report: settings that were ignored
};

Result<LoadedPolicy> load(Sources sources, HostView& host);

// Are runs recorded? For a policy that could not be loaded: as far as variables and the user's file can be read.
bool wants_journal(const Caller& caller, SourceUse user_file, HostView& host);

// The same with the user's file, variables, and this project file: to check it before a run uses it.
Result<LoadedPolicy> load_project(PolicyFile project, const Caller& caller, HostView& host);

// The access that the project's file requests beyond the user's own policy; nothing without a project file.
Result<std::vector<policy::Widening>> project_widenings(const LoadedPolicy& loaded, const policy::Scope& scope,
                                                        HostView& host);

// One line for each: the origin, the requested access, and the user's own rule.
std::string list_of(const std::vector<policy::Widening>& requested);

// kRefused, with the list, if the file requests more and the user has not agreed to this text.
Result<void> check_consent(const LoadedPolicy& loaded, const policy::Scope& scope, HostView& host,
                           const Caller& caller);

}  // namespace pinfold::settings
