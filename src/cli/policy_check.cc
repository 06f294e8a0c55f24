// policy_check.cc: `pinfold policy check FILE`: every mistake in a policy file, with its line.
// Invariant: reads the file as `pinfold run` in its directory would; changes nothing.
// Not here: the mistakes themselves (policy/document.cc, builder.cc, scope_build.cc).
#include <unistd.h>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "report/table.h"
#include "settings/load.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using report::visible;

Result<std::string> check(const std::string& word, const Caller& caller, HostView& host, report::Colour colour) {
  if (word.empty()) return fail(ErrorKind::kInvalid, "the file's name is empty", "pinfold policy check pinfold.toml");
  // The shell expands "~"; a "~" that arrives here is part of a file name.
  PF_TRY(path, absolute(word[0] == '~' ? "./" + word : word, word, caller));
  const bool users_own = path == paths::join(settings::config_directory(caller, host), "config.toml");
  settings::LoadedPolicy loaded;
  if (users_own) {
    settings::Sources sources;
    sources.layers.caller = caller;
    sources.project_file = sources.environment = settings::SourceUse::kIgnore;
    PF_TRY(read, settings::load(std::move(sources), host));
    loaded = std::move(read);
    if (!loaded.user) return fail(ErrorKind::kInvalid, text::shown(path) + ": no such file or directory");
  } else {
    // Relative paths in the file are relative to its directory, as for a run there.
    PF_TRY(file, settings::read_project_file(path, caller, host));
    Caller there = caller;
    there.working_dir = file.directory;
    PF_TRY(read, settings::load_project(std::move(file), there, host));
    loaded = std::move(read);
  }
  PF_TRY(scope, policy::Scope::build(loaded.policy, host));
  std::string out = fmt::format("{}: {}\n", visible(word), report::paint("ok", report::Paint::kGood, colour));
  PF_TRY(asked, settings::project_widenings(loaded, scope, host));
  if (!asked.empty()) out += "as a project's file it asks for more than you allow; to trust it: pinfold policy trust\n";
  out += settings::list_of(asked);
  return out;
}

}  // namespace

int policy_check(const CommandLine& parsed, Context& context) {
  if (parsed.words.empty())
    return complain(Error(ErrorKind::kInvalid, "policy check needs a file", "pinfold policy check pinfold.toml"),
                    context.host);
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  int code = 0;
  for (const std::string& word : parsed.words) {
    auto text = check(word, *caller, context.host, colour_for(STDOUT_FILENO, context.host));
    if (text)
      print(STDOUT_FILENO, *text);
    else
      code = complain(text.error(), context.host);
  }
  return code;
}

}  // namespace pinfold::cli
