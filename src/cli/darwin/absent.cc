// absent.cc: the commands that the macOS build does not have say so.
// Invariant: none of them does anything. Not here: why (docs/macos.md).
#include "cli/commands.h"
#include "cli/memory.h"

namespace pinfold::cli {
namespace {

int absent(const char* command, Context& context) {
  return complain(Error(ErrorKind::kUnavailable, std::string("pinfold ") + command + " is not in the macOS build",
                        "see docs/macos.md, and: pinfold run"),
                  context.host);
}

}  // namespace

int session_start(const Parsed&, Context& context) { return absent("session start", context); }
int session_exec(const Parsed&, Context& context) { return absent("session exec", context); }
int session_list(const Parsed&, Context& context) { return absent("session list", context); }
int session_stop(const Parsed&, Context& context) { return absent("session stop", context); }
int web(const Parsed&, Context& context) { return absent("web", context); }
int learn_command(const Parsed&, Context& context) { return absent("learn", context); }
int files_read(const Parsed&, Context& context) { return absent("files read", context); }
int files_write(const Parsed&, Context& context) { return absent("files write", context); }
int files_edit(const Parsed&, Context& context) { return absent("files edit", context); }
int files_list(const Parsed&, Context& context) { return absent("files list", context); }
int files_glob(const Parsed&, Context& context) { return absent("files glob", context); }
int files_search(const Parsed&, Context& context) { return absent("files search", context); }
int plugin_list(const Parsed&, Context& context) { return absent("plugin list", context); }
int plugin_review(const Parsed&, Context& context) { return absent("plugin review", context); }
int plugin_decide(const Parsed&, Context& context) { return absent("plugin deny", context); }
int plugin_import(const Parsed&, Context& context) { return absent("plugin import", context); }
int plugin_doctor(const Parsed&, Context& context) { return absent("plugin doctor", context); }
int plugin_tools(const Parsed&, Context& context) { return absent("plugin tools", context); }
int plugin_call(const Parsed&, Context& context) { return absent("plugin call", context); }
int plugin_run(const Parsed&, Context& context) { return absent("plugin run", context); }

void release_what_was_for_starting() {}  // nothing stays behind that would need it: there are no sessions

}  // namespace pinfold::cli
