// load.h: files, variables and flags → the policy of a run, and the refusal of a project file that asks for too much.
// Invariant: what a project's file allows beyond the user's own policy is never used without recorded consent to that
// very text. Not here: merging (policy/merge.h), the store (trust.h), asking (cli).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/merge.h"
#include "policy/narrowing.h"
#include "policy/scope.h"
#include "settings/files.h"

namespace pinfold::settings {

enum class Use { kRead, kIgnore };

struct Sources {
  policy::Layers layers;  // caller, flags and profile; files and variables are filled in here
  Use user_file = Use::kRead;
  Use project_file = Use::kRead;
  Use environment = Use::kRead;
  std::optional<PolicyFile> named{};  // by the user, on the command line: in place of the project's, and trusted
};

struct Loaded {
  Policy policy;
  Origin chosen;  // who chose the profile
  std::optional<PolicyFile> user;
  std::optional<PolicyFile> project;
  std::optional<Policy> own;       // the policy without the project's file, where there is one
  std::optional<std::string> off;  // where `enabled = false` was said, if it was
  bool journal = true;             // runs are recorded
  std::vector<std::string> notes;  // for the report: what could not be heard
};

Result<Loaded> load(Sources sources, HostView& host);

// Are runs recorded? For a policy that could not be loaded: as far as variables and the user's file can be read.
bool wants_journal(const Caller& caller, Use user_file, HostView& host);

// The same with the user's file, variables, and this project file: what it means, before anyone runs under it.
Result<Loaded> load_project(PolicyFile project, const Caller& caller, HostView& host);

// What the project's file asks for beyond the user's own policy; nothing without a project file.
Result<std::vector<policy::Widening>> asked_beyond(const Loaded& loaded, const policy::Scope& scope, HostView& host);

// One line for each: where it is asked for, what, and what the user allows.
std::string list_of(const std::vector<policy::Widening>& asked);

// kRefused, with the list, if it asks for more and the user has not agreed to this text.
Result<void> check_consent(const Loaded& loaded, const policy::Scope& scope, HostView& host, const Caller& caller);

}  // namespace pinfold::settings
