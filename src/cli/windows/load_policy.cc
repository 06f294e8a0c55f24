// load_policy.cc: the policy of a command line on Windows: files, variables and flags.
// Not here: permanent grants, which this build does not store.
#include <utility>

#include "base/try.h"
#include "cli/options.h"

namespace pinfold::cli {

Result<settings::LoadedPolicy> read_policy(const CommandLine& parsed, const Caller& caller, HostView& host,
                                           Warnings /*warnings*/) {
  PF_TRY(sources, sources_of(parsed, caller, host));
  return settings::load(std::move(sources), host);
}

Result<void> add_live_grants(settings::LoadedPolicy& /*loaded*/, const std::vector<Grant>& /*grants*/,
                             HostView& /*host*/) {
  return {};
}

Result<settings::LoadedPolicy> load_policy(const CommandLine& parsed, const Caller& caller, HostView& host,
                                           const std::vector<Grant>& /*grants*/) {
  return read_policy(parsed, caller, host, Warnings::kNotPrinted);
}

Result<LoadedScope> load_scope(const CommandLine& parsed, const Caller& caller, HostView& host) {
  PF_TRY(loaded, load_policy(parsed, caller, host, {}));
  PF_TRY(scope, policy::Scope::build(loaded.policy, host));
  PF_CHECK(settings::check_consent(loaded, scope, host, caller));
  return LoadedScope{std::move(loaded), std::move(scope)};
}

}  // namespace pinfold::cli
