// log_view.h: runs of the journal as lines for people.
// Invariant: everything that came from the journal goes through visible(). Not here: choosing runs (log.cc).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "report/render.h"
#include "session/runs.h"

namespace pinfold::cli {

// How much of what was denied is shown below a run.
enum class Detail { kShort, kAll };

struct LogView {
  report::Paper paper;
  std::string home{};  // shown as ~
  Detail detail = Detail::kShort;
};

// One line for each run, aligned, with what it was denied below it.
std::string runs_text(const std::vector<const session::RunRecord*>& runs, const LogView& view, HostView& host);

}  // namespace pinfold::cli
