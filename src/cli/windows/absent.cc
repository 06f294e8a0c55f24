// absent.cc: commands that this build does not have, each saying so.
// Invariant: none of them pretends: every one fails, with the command's name.
#include <fmt/format.h>

#include "cli/clipboard_command.h"
#include "cli/commands.h"

namespace pinfold::cli {
namespace {

int absent(const Parsed& parsed, Context& context) {
  return complain(Error(ErrorKind::kUnavailable,
                        fmt::format("`pinfold {}` is not in the program for Windows", info(parsed.command).name),
                        "this program has run, check, redact, doctor, policy show, why and check (docs/windows.md)"),
                  context.host);
}

}  // namespace

// Only in a plugin's sandbox is this program called so, and there are no plugins.
std::optional<int> clipboard_command(int /*argc*/, char** /*argv*/) { return std::nullopt; }
int learn_command(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int session_start(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int session_exec(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int session_list(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int session_stop(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int web(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int policy_trust(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int grants_list(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int grants_revoke(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int grants_clear(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int grants_why(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int files_read(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int files_write(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int files_edit(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int files_list(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int files_glob(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int files_search(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int init(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int log(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int stats(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int plugin_list(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int plugin_review(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int plugin_decide(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int plugin_import(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int plugin_doctor(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int plugin_tools(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int plugin_call(const Parsed& parsed, Context& context) { return absent(parsed, context); }
int plugin_run(const Parsed& parsed, Context& context) { return absent(parsed, context); }

}  // namespace pinfold::cli
