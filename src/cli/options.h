// options.h: flags → a policy and run options.
// Invariant: contradictory flags are an error, never resolved silently; each rule carries the flag it came from.
// Not here: the table of flags (flags.h), looking up paths on the host (policy::Scope).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/parse.h"
#include "pinfold/grant.h"
#include "pinfold/policy.h"
#include "policy/scope.h"
#include "settings/load.h"

namespace pinfold::cli {

enum class Verbosity { kSummary, kQuiet };
enum class Confinement { kSandbox, kNone };
enum class Mode { kRun, kExplain };
// Where Pinfold asks when the command makes a call that the policy denies.
enum class AskMode { kNever, kTerminal, kWeb };

struct RunOptions {
  std::vector<std::string> argv;
  bool implied_shell = false;              // argv[0] is the shell of -c, or of `pinfold shell`
  bool is_text = false;                    // argv is a shell, "-c" and the text of pinfold's -c
  bool force_advice = false;               // --force-advice was given
  std::string shell{};                     // --shell, or empty
  std::optional<std::string> working_dir;  // --cwd, absolute
  std::string backend;                     // "auto" unless named
  std::optional<std::string> report;
  Confinement confinement = Confinement::kSandbox;
  Mode mode = Mode::kRun;
  Verbosity verbosity = Verbosity::kSummary;
  bool journal = true;  // --no-journal was not given
  AskMode ask = AskMode::kNever;
  bool ask_given = false;             // --ask was given
  bool on_unavailable_given = false;  // --on-unavailable was given
  bool sandbox_flag_given = false;    // --sandbox or --no-sandbox was given
};

Result<RunOptions> read_run_options(const CommandLine& parsed, const Caller& caller);

// The network mode that the policy most likely has, from the flags alone; empty if only the policy can tell.
std::optional<NetworkMode> expected_network(const CommandLine& parsed);

bool has_flag(const CommandLine& parsed, Id id);
const FlagValue* find_flag_value(const CommandLine& parsed, Id id);  // or null
// Against the caller's working directory; "~" is the caller's home.
Result<std::string> absolute(std::string_view value, std::string_view flag, const Caller& caller);

// The policy settings that the flags make.
std::vector<policy::Setting> settings_of(const CommandLine& parsed);

// The sources of the policy. `learn` leaves the project's file out: the profile that it writes replaces that file.
Result<settings::Sources> sources_of(const CommandLine& parsed, const Caller& caller, HostView& host);

// The policy of files, variables, permanent grants and flags, with the grants of this run on top. Unreadable grants are
// left out, with a warning.
Result<settings::LoadedPolicy> load_policy(const CommandLine& parsed, const Caller& caller, HostView& host,
                                           const std::vector<Grant>& grants);

// Its two steps: read files, variables, permanent grants and flags, once for a run; then add the grants of the run.
enum class Warnings { kPrinted, kNotPrinted };
Result<settings::LoadedPolicy> read_policy(const CommandLine& parsed, const Caller& caller, HostView& host,
                                           Warnings warnings);
Result<void> add_live_grants(settings::LoadedPolicy& loaded, const std::vector<Grant>& grants, HostView& host);

// The policy applied to the host's paths. An error if a project's file asks for more than the user's own policy without
// consent.
struct LoadedScope {
  settings::LoadedPolicy loaded;
  policy::Scope scope;
};
Result<LoadedScope> load_scope(const CommandLine& parsed, const Caller& caller, HostView& host);

}  // namespace pinfold::cli
