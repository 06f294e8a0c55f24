// web_approval_ui.h: shows the approval requests of a run on a web page while the command runs.
// Invariant: if the page cannot be started, every request is denied at once.
// Not here: the page's program (web_program.h), its control socket (session/live_approvals.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "session/approval_queue.h"

namespace pinfold::cli {

// The page shows `command` and `workspace`.
std::unique_ptr<session::ApprovalUi> make_web_approval_ui(session::ApprovalQueue& queue,
                                                          std::vector<std::string> command, std::string workspace,
                                                          HostView& host);

}  // namespace pinfold::cli
