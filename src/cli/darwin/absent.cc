// absent.cc: the commands that the macOS build does not have say so.
// Invariant: none of them does anything. Not here: why (docs/macos.md).
#include "cli/commands.h"
#include "cli/memory.h"
#include "cli/process_io.h"
#include "cli/web_approval_ui.h"

namespace pinfold::cli {
namespace {

int absent(const char* command, Context& context) {
  return complain(Error(ErrorKind::kUnavailable, std::string("pinfold ") + command + " is not in the macOS build",
                        "see docs/macos.md, and: pinfold run"),
                  context.host);
}

// Nobody can answer: a no at once, not a run that waits.
class NoPage final : public session::Face {
 public:
  NoPage(session::Board& board, HostView& host) : board_(board), host_(host) {}
  void begin(sys::EventLoop&, supervisor::Streams&) override {
    print_error("nobody can be asked, so everything is refused: the page is not in the macOS build",
                "use --ask terminal", host_);
    board_.refuse_all("the page is not in the macOS build");
  }
  void asked(const AccessQuestion&) override {}
  void settled(const AccessQuestion&, std::optional<Answer>) override {}

 private:
  session::Board& board_;
  HostView& host_;
};

}  // namespace

std::unique_ptr<session::Face> make_web_asking(session::Board& board, std::vector<std::string>, std::string,
                                               HostView& host) {
  return std::make_unique<NoPage>(board, host);
}

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
