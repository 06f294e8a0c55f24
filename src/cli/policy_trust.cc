// policy_trust.cc: `pinfold policy trust`: shows the permissions of a project's file, and records the user's consent.
// Invariant: consent is recorded only for the text that was shown, and only after a yes at the terminal or --yes.
// Not here: comparing permissions (policy/narrowing.cc), the store (settings/trust.cc).
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/line_diff.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "cli/prompt.h"
#include "report/table.h"
#include "settings/load.h"
#include "settings/trust.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using report::Paint;
using report::visible;

// The project's file: the given file, the one in the given directory, or the nearest one upwards.
Result<settings::PolicyFile> find_file(const CommandLine& parsed, const Caller& caller, HostView& host) {
  if (parsed.words.size() > 1)
    return fail(ErrorKind::kInvalid, "policy trust takes one file or directory", "pinfold policy trust DIR");
  if (parsed.words.empty()) {
    PF_TRY(found, settings::find_project_file(caller, host));
    if (!found) return fail(ErrorKind::kInvalid, "there is no pinfold.toml here or above", "write one: pinfold init");
    return std::move(*found);
  }
  std::string path = parsed.words[0];
  if (path.empty()) return fail(ErrorKind::kInvalid, "the name is empty", "pinfold policy trust DIR");
  path = paths::normal(path[0] == '/' ? path : paths::join(caller.working_dir, path));
  if (host.kind(path) == HostKind::kDirectory) path = paths::join(path, settings::kProjectFile);
  if (paths::basename(path) != settings::kProjectFile)
    return fail(ErrorKind::kInvalid, text::shown(path) + " is not a project's file",
                "a project's file is named pinfold.toml; your own file needs no trust");
  return settings::read_project_file(path, caller, host);
}

int list(const Caller& caller, Context& context) {
  auto store = settings::TrustStore::read(caller, context.host);
  if (!store) return complain(store.error(), context.host);
  if (store->all().empty()) print(STDOUT_FILENO, "you trust no project's file\n");
  std::vector<std::vector<report::Cell>> rows;
  for (const settings::Consent& one : store->all()) {
    auto file = settings::read_project_file(one.file, caller, context.host);
    const bool same = file && settings::hash_of(file->text) == one.hash;
    rows.push_back({{visible(one.file)},
                    {visible(one.at), Paint::kDim},
                    {same   ? "as trusted"
                     : file ? "changed since"
                            : "missing, or owned by another user",
                     same ? Paint::kGood : Paint::kWarn}});
  }
  print(STDOUT_FILENO, report::table(rows, 0, colour_for(STDOUT_FILENO, context.host)));
  return 0;
}

int revoke(const CommandLine& parsed, const Caller& caller, Context& context) {
  // The file may no longer exist: its name is enough.
  std::string path;
  if (parsed.words.empty()) {
    auto file = find_file(parsed, caller, context.host);
    if (!file) return complain(file.error(), context.host);
    path = file->path;
  } else {
    path = paths::normal(parsed.words[0].starts_with('/') ? parsed.words[0]
                                                          : paths::join(caller.working_dir, parsed.words[0]));
    if (paths::basename(path) != settings::kProjectFile) path = paths::join(path, settings::kProjectFile);
  }
  auto revoked = settings::revoke_consent(path, caller, context.host);
  if (!revoked) return complain(revoked.error(), context.host);
  print(STDOUT_FILENO,
        fmt::format("{} {}\n", visible(path), *revoked ? "is no longer trusted" : "was not trusted; nothing changed"));
  return 0;
}

std::string difference(const settings::Consent& before, const settings::PolicyFile& now, report::Colour colour) {
  std::string out = fmt::format("\nchanged since you trusted it on {}:\n", visible(before.at));
  for (const DiffLine& line : line_diff(before.text, now.text, 2)) {
    const std::string text = visible(line.text);
    switch (line.change) {
      case Change::kKept: out += "    " + text + "\n"; break;
      case Change::kRemoved: out += report::paint("  - " + text, Paint::kBad, colour) + "\n"; break;
      case Change::kAdded: out += report::paint("  + " + text, Paint::kGood, colour) + "\n"; break;
    }
  }
  return out;
}

// Consent is to the whole text: the list of permissions has neither paths that do not exist yet nor unused profiles.
std::string whole_text(const settings::PolicyFile& file) {
  std::string out = "\n";
  for (std::string_view rest = file.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += "    " + visible(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

Result<void> agree(const CommandLine& parsed, const Caller& caller, Context& context) {
  PF_TRY(file, find_file(parsed, caller, context.host));
  Caller there = caller;
  if (!parsed.words.empty()) there.working_dir = file.directory;
  PF_TRY(loaded, settings::load_project(file, there, context.host));
  PF_TRY(scope, policy::Scope::build(loaded.policy, context.host));
  PF_TRY(asked, settings::project_widenings(loaded, scope, context.host));
  if (asked.empty()) {
    print(STDOUT_FILENO,
          fmt::format("{} asks for nothing beyond what you allow; it needs no trust\n", visible(file.shown)));
    return {};
  }
  PF_TRY(store, settings::TrustStore::read(caller, context.host));
  if (store.covers(file)) {
    print(STDOUT_FILENO, fmt::format("{} is trusted as it is\n", visible(file.shown)));
    return {};
  }
  const report::Colour colour = colour_for(STDERR_FILENO, context.host);
  std::string out = report::paint(visible(file.path), Paint::kBold, colour) + "\n";
  const settings::Consent* before = store.find(file.path);
  out += before == nullptr ? whole_text(file) : difference(*before, file, colour);
  out += "\nasks for more than you allow:\n" + settings::list_of(asked) + "\n";
  print(STDERR_FILENO, out);
  if (!has_flag(parsed, Id::kYes) && !ask("Trust this text? You will be asked again if the file changes."))
    return fail(ErrorKind::kRefused, "the file is not trusted; nothing was recorded",
                is_terminal(STDIN_FILENO) ? "" : "without a terminal: pinfold policy trust --yes");
  PF_CHECK(settings::record_consent(file, caller, context.host));
  print(STDOUT_FILENO, fmt::format("trusted: {}\n", visible(file.path)));
  return {};
}

}  // namespace

int policy_trust(const CommandLine& parsed, Context& context) {
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  if (has_flag(parsed, Id::kList)) return list(*caller, context);
  if (has_flag(parsed, Id::kRevoke)) return revoke(parsed, *caller, context);
  auto done = agree(parsed, *caller, context);
  return done ? 0 : complain(done.error(), context.host);
}

}  // namespace pinfold::cli
