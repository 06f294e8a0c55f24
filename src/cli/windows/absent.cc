// absent.cc: the commands that the Windows build does not have: each prints an error with its name.
// Invariant: none of them does anything.
#include <fmt/format.h>

#include "cli/clipboard_command.h"
#include "cli/commands.h"

namespace pinfold::cli {
namespace {

int absent(const CommandLine& parsed, Context& context) {
  return complain(
      Error(ErrorKind::kUnavailable, fmt::format("`pinfold {}` is not in the Windows build", info(parsed.command).name),
            "the Windows build has run, check, redact, doctor, policy show, why and check (docs/reference/windows.md)"),
      context.host);
}

}  // namespace

// The clipboard commands exist only in a plugin's sandbox, and this build has no plugins.
std::optional<int> clipboard_command(int /*argc*/, char** /*argv*/) { return std::nullopt; }
int learn_command(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int session_start(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int session_exec(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int session_list(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int session_stop(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int web(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int policy_trust(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int grants_list(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int grants_revoke(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int grants_clear(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int grants_why(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int files_read(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int files_write(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int files_edit(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int files_list(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int files_glob(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int files_search(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int init(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int log(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int stats(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int plugin_list(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int plugin_review(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int plugin_decide(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int plugin_import(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int plugin_doctor(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int plugin_tools(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int plugin_call(const CommandLine& parsed, Context& context) { return absent(parsed, context); }
int plugin_run(const CommandLine& parsed, Context& context) { return absent(parsed, context); }

}  // namespace pinfold::cli
