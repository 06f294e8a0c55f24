// load.cc: makes a policy from the user's files, variables and the program's own settings.
// Invariant: as on the command line, refuses a project's file that requests more than the user's policy without
// recorded consent, and a file that switches the sandbox off. Not here: a policy from text alone (policy/from_text.cc).
#include "settings/load.h"

#include "base/guarded.h"
#include "base/text.h"
#include "base/try.h"
#include "library/runner.h"
#include "policy/document.h"
#include "sys/host.h"

namespace pinfold {
namespace {

settings::SourceUse use(bool read) { return read ? settings::SourceUse::kRead : settings::SourceUse::kIgnore; }

// Adds the program's text with the rank of flags, above files and variables.
Result<void> add_program_settings(const LoadOptions& options, policy::Layers& layers) {
  if (!options.toml.empty() && !options.json.empty())
    return fail(ErrorKind::kInvalid, "the policy is given as TOML and as JSON", "keep one of them");
  const bool json = !options.json.empty();
  policy::Document said = policy::read_document(json ? options.json : options.toml,
                                                json ? policy::Notation::kJson : policy::Notation::kToml, "policy",
                                                Source::kApi, {layers.caller.working_dir});
  if (!said.profiles.empty())
    said.problems.push_back(said.profiles[0].where +
                            ": a policy given by a program cannot define profiles (put the keys at the top level)");
  if (said.enabled)
    said.problems.push_back(said.enabled->where + ": the library always runs in a sandbox (leave out enabled)");
  if (!said.problems.empty()) {
    std::string all;
    for (const std::string& line : said.problems) all += (all.empty() ? "" : "\n") + line;
    return fail(ErrorKind::kInvalid, std::move(all));
  }
  layers.flags = std::move(said.settings);
  layers.profile = std::move(said.profile);
  layers.flag_source = Source::kApi;
  layers.full_access = options.full_access;
  return {};
}

}  // namespace

Result<Policy> Runner::load(const LoadOptions& options) const noexcept {
  return guarded([&]() -> Result<Policy> {
    auto host = sys::real_host();
    settings::Sources sources;
    if (options.caller) {
      sources.layers.caller = *options.caller;
    } else {
      PF_TRY(caller, sys::find_caller(*host));
      sources.layers.caller = std::move(caller);
    }
    const Caller caller = sources.layers.caller;
    PF_CHECK(add_program_settings(options, sources.layers));
    sources.user_file = use(options.user_file);
    sources.project_file = use(options.project_file);
    sources.environment = use(options.environment);
    PF_TRY(loaded, settings::load(std::move(sources), *host));
    if (loaded.off)
      return fail(ErrorKind::kRefused,
                  text::shown(*loaded.off) + ": the sandbox is switched off, and nothing runs bare by accident",
                  "remove enabled = false, or read the policy without that file");
    PF_TRY(scope, policy::Scope::build(loaded.policy, *host));
    PF_CHECK(settings::check_consent(loaded, scope, *host, caller));
    return std::move(loaded.policy);
  });
}

}  // namespace pinfold
