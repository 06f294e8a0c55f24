// options.h: flags → a policy, and how to run.
// Invariant: contradictions are errors, never settled in silence; each rule carries the flag it came from.
// Not here: the table of flags (flags.h), the host's answers about paths (policy::Scope).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/parse.h"
#include "pinfold/policy.h"

namespace pinfold::cli {

enum class Verbosity { kSummary, kQuiet };
enum class Walls { kSandbox, kNone };
enum class Mode { kRun, kExplain };

struct RunOptions {
  std::vector<std::string> argv;
  bool implied_shell = false;              // argv[0] is the shell of -c
  std::optional<std::string> working_dir;  // --cwd, absolute
  std::string backend;                     // "auto" unless named
  std::optional<std::string> report;
  Walls walls = Walls::kSandbox;
  Mode mode = Mode::kRun;
  Verbosity verbosity = Verbosity::kSummary;
  bool gap_answer_given = false;  // --on-unavailable was given
};

Result<RunOptions> read_run_options(const Parsed& parsed, const Caller& caller);

// What network the policy will give, where no flag makes it worth reading first.
std::optional<NetworkMode> network_at_a_glance(const Parsed& parsed);

// The policy of the flags on top of their profile.
Result<Policy> read_policy(const Parsed& parsed, const Caller& caller);

// Where a command starts when --cwd is not given: the caller's directory, or the first workspace if that is elsewhere.
std::string default_working_dir(const Caller& caller, const std::vector<std::string>& workspaces);

}  // namespace pinfold::cli
