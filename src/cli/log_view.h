// log_view.h: runs of the journal as text.
// Invariant: every text from the journal goes through visible(). Not here: choosing runs (log.cc).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "report/render.h"
#include "session/runs.h"

namespace pinfold::cli {

// How many details are shown below a run.
enum class Detail { kShort, kAll };

struct LogView {
  report::TextFormat format;
  std::string home{};  // shown as ~
  Detail detail = Detail::kShort;
};

// One line for each run, aligned, with its denials below it.
std::string runs_text(const std::vector<const session::RunRecord*>& runs, const LogView& view, HostView& host);

}  // namespace pinfold::cli
