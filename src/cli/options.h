// options.h: flags → a policy, and how to run.
// Invariant: contradictions are errors, never settled in silence; each rule carries the flag it came from.
// Not here: the table of flags (flags.h), the host's answers about paths (policy::Scope).
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
enum class Walls { kSandbox, kNone };
enum class Mode { kRun, kExplain };
// Who is asked about what a running command tries beyond what is allowed.
enum class Ask { kNever, kTerminal, kWeb };

struct RunOptions {
  std::vector<std::string> argv;
  bool implied_shell = false;              // argv[0] is the shell of -c, or of `pinfold shell`
  bool is_text = false;                    // argv is a shell, -c and the text of our own -c
  bool force_advice = false;               // --force-advice was given
  std::string shell{};                     // --shell, or empty
  std::optional<std::string> working_dir;  // --cwd, absolute
  std::string backend;                     // "auto" unless named
  std::optional<std::string> report;
  Walls walls = Walls::kSandbox;
  Mode mode = Mode::kRun;
  Verbosity verbosity = Verbosity::kSummary;
  bool journal = true;  // --no-journal was not given
  Ask ask = Ask::kNever;
  bool ask_given = false;         // --ask was given
  bool gap_answer_given = false;  // --on-unavailable was given
  bool walls_named = false;       // --sandbox or --no-sandbox was given
};

Result<RunOptions> read_run_options(const Parsed& parsed, const Caller& caller);

// What network the policy most likely gives, where no flag makes it worth reading first.
std::optional<NetworkMode> network_at_a_glance(const Parsed& parsed);

bool given(const Parsed& parsed, Id id);
const Given* find_given(const Parsed& parsed, Id id);  // or null
// Against the caller's working directory; "~" is the caller's home.
Result<std::string> absolute(std::string_view value, std::string_view flag, const Caller& caller);

// What the flags say about the policy.
std::vector<policy::Setting> settings_of(const Parsed& parsed);

// Where the policy comes from: `learn` leaves the project's file out, because what it writes takes its place.
Result<settings::Sources> sources_of(const Parsed& parsed, const Caller& caller, HostView& host);

// The policy of files, variables, grants and flags, with paths that were granted since on top. Grants that cannot be
// read are left out, with a warning.
Result<settings::Loaded> load_policy(const Parsed& parsed, const Caller& caller, HostView& host,
                                     const std::vector<Grant>& grants);

// Its two steps: read files, variables, permanent grants and flags, once for a run; then add the grants of the run.
enum class Warnings { kPrinted, kNotPrinted };
Result<settings::Loaded> read_policy(const Parsed& parsed, const Caller& caller, HostView& host, Warnings warnings);
Result<void> add_live_grants(settings::Loaded& loaded, const std::vector<Grant>& grants, HostView& host);

// The same on the host's paths; refuses what a project's file asks for beyond the user's own policy without consent.
struct LoadedScope {
  settings::Loaded loaded;
  policy::Scope scope;
};
Result<LoadedScope> load_scope(const Parsed& parsed, const Caller& caller, HostView& host);

}  // namespace pinfold::cli
