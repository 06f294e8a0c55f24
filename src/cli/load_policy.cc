// load_policy.cc: the policy of a command line, with permanent grants and the grants of this run.
// Not here: the meaning of flags (options.cc).
#include <utility>

#include "base/try.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "policy/grants.h"
#include "session/apply_grants.h"

namespace pinfold::cli {

Result<settings::LoadedPolicy> read_policy(const CommandLine& parsed, const Caller& caller, HostView& host,
                                           Warnings warnings) {
  PF_TRY(sources, sources_of(parsed, caller, host));
  PF_TRY(loaded, settings::load(std::move(sources), host));
  if (has_flag(parsed, Id::kNoGrants)) return loaded;
  for (const Error& problem : session::apply_grants(loaded, caller, host)) {
    if (warnings == Warnings::kPrinted) print_warning(problem.text(), problem.fix(), host);
    loaded.notes.push_back(problem.text());
  }
  return loaded;
}

Result<void> add_live_grants(settings::LoadedPolicy& loaded, const std::vector<Grant>& grants, HostView& host) {
  PF_CHECK(policy::add_live_grants(loaded.policy, grants, host));
  if (loaded.own) PF_CHECK(policy::add_live_grants(*loaded.own, grants, host));
  return {};
}

Result<settings::LoadedPolicy> load_policy(const CommandLine& parsed, const Caller& caller, HostView& host,
                                           const std::vector<Grant>& grants) {
  // With grants this is a second run of the command: the first one printed the warnings.
  PF_TRY(loaded, read_policy(parsed, caller, host, grants.empty() ? Warnings::kPrinted : Warnings::kNotPrinted));
  PF_CHECK(add_live_grants(loaded, grants, host));
  return loaded;
}

Result<LoadedScope> load_scope(const CommandLine& parsed, const Caller& caller, HostView& host) {
  PF_TRY(loaded, load_policy(parsed, caller, host, {}));
  PF_TRY(scope, policy::Scope::build(loaded.policy, host));
  PF_CHECK(settings::check_consent(loaded, scope, host, caller));
  return LoadedScope{std::move(loaded), std::move(scope)};
}

}  // namespace pinfold::cli
