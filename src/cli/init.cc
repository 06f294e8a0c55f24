// init.cc: `pinfold init`: writes a first pinfold.toml.
// Invariant: an existing file is never changed.
// Not here: its text (settings/starter.cc).
#include <unistd.h>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/process_io.h"
#include "report/render.h"
#include "settings/files.h"
#include "settings/starter.h"
#include "sys/files.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using report::visible;

Result<std::string> write_starter(const CommandLine& parsed, HostView& host) {
  if (parsed.words.size() > 1) return fail(ErrorKind::kInvalid, "init takes one directory", "pinfold init DIR");
  PF_TRY(caller, sys::find_caller(host));
  std::string directory = caller.working_dir;
  if (!parsed.words.empty()) {
    if (parsed.words[0].empty()) return fail(ErrorKind::kInvalid, "the directory's name is empty", "pinfold init DIR");
    directory = paths::normal(parsed.words[0][0] == '/' ? parsed.words[0] : paths::join(directory, parsed.words[0]));
  }
  PF_TRY(starter, settings::starter_file(directory, host));
  const std::string path = paths::join(directory, settings::kProjectFile);
  auto created = sys::create_file(path, starter.text);
  if (!created && created.error().kind() == ErrorKind::kInvalid)
    return fail(ErrorKind::kInvalid, created.error().text() + "; it was not changed",
                "to see its effect: pinfold policy show");
  PF_CHECK(created, "writing the project's file");
  std::string out = fmt::format("wrote {}\n", visible(path));
  for (const std::string& one : starter.found) out += fmt::format("  found {}\n", visible(one));
  out += "edit it if needed; then: pinfold run -- COMMAND\n";
  return out;
}

}  // namespace

int init(const CommandLine& parsed, Context& context) {
  auto text = write_starter(parsed, context.host);
  if (!text) return complain(text.error(), context.host);
  print(STDOUT_FILENO, *text);
  return 0;
}

}  // namespace pinfold::cli
