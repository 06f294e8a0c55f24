// web_approval_ui.h: puts the questions of a run on a web page of its own, while the command runs.
// Invariant: where there is no page, everything is refused: nobody waits for an answer that cannot come.
// Not here: the page's program (web_program.h), what it watches (session/live_approvals.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "session/approval_queue.h"

namespace pinfold::cli {

// `command` and `workspace` are what the page says of this run.
std::unique_ptr<session::Face> make_web_asking(session::Board& board, std::vector<std::string> command,
                                               std::string workspace, HostView& host);

}  // namespace pinfold::cli
