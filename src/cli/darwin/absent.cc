// absent.cc: the commands that the macOS build does not have: each prints an error.
// Invariant: none of them does anything. Not here: the reasons (docs/reference/macos.md).
#include "cli/commands.h"
#include "cli/memory.h"
#include "cli/process_io.h"
#include "cli/web_approval_ui.h"

namespace pinfold::cli {
namespace {

int absent(const char* command, Context& context) {
  return complain(Error(ErrorKind::kUnavailable, std::string("pinfold ") + command + " is not in the macOS build",
                        "see docs/reference/macos.md, and: pinfold run"),
                  context.host);
}

// Denies every request at once.
class NoWebApprovalUi final : public session::ApprovalUi {
 public:
  NoWebApprovalUi(session::ApprovalQueue& queue, HostView& host) : queue_(queue), host_(host) {}
  void begin(sys::EventLoop&, supervisor::Streams&) override {
    print_error("every approval request is denied: the macOS build has no approval page", "use --ask terminal", host_);
    queue_.refuse_all("the page is not in the macOS build");
  }
  void requested(const ApprovalRequest&) override {}
  void settled(const ApprovalRequest&, std::optional<ApprovalDecision>) override {}

 private:
  session::ApprovalQueue& queue_;
  HostView& host_;
};

}  // namespace

std::unique_ptr<session::ApprovalUi> make_web_approval_ui(session::ApprovalQueue& queue, std::vector<std::string>,
                                                          std::string, HostView& host) {
  return std::make_unique<NoWebApprovalUi>(queue, host);
}

int session_start(const CommandLine&, Context& context) { return absent("session start", context); }
int session_exec(const CommandLine&, Context& context) { return absent("session exec", context); }
int session_list(const CommandLine&, Context& context) { return absent("session list", context); }
int session_stop(const CommandLine&, Context& context) { return absent("session stop", context); }
int web(const CommandLine&, Context& context) { return absent("web", context); }
int learn_command(const CommandLine&, Context& context) { return absent("learn", context); }
int files_read(const CommandLine&, Context& context) { return absent("files read", context); }
int files_write(const CommandLine&, Context& context) { return absent("files write", context); }
int files_edit(const CommandLine&, Context& context) { return absent("files edit", context); }
int files_list(const CommandLine&, Context& context) { return absent("files list", context); }
int files_glob(const CommandLine&, Context& context) { return absent("files glob", context); }
int files_search(const CommandLine&, Context& context) { return absent("files search", context); }
int plugin_list(const CommandLine&, Context& context) { return absent("plugin list", context); }
int plugin_review(const CommandLine&, Context& context) { return absent("plugin review", context); }
int plugin_decide(const CommandLine&, Context& context) { return absent("plugin deny", context); }
int plugin_import(const CommandLine&, Context& context) { return absent("plugin import", context); }
int plugin_doctor(const CommandLine&, Context& context) { return absent("plugin doctor", context); }
int plugin_tools(const CommandLine&, Context& context) { return absent("plugin tools", context); }
int plugin_call(const CommandLine&, Context& context) { return absent("plugin call", context); }
int plugin_run(const CommandLine&, Context& context) { return absent("plugin run", context); }

void release_startup_memory() {}  // not needed: this build has no sessions

}  // namespace pinfold::cli
