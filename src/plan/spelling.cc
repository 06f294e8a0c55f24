// spelling.cc: finds file systems on which a protected or hidden name has a second spelling that no mount covers.
// Invariant: one question for each directory that has such names; a second spelling is a gap that refuses the run.
// Not here: file systems on which the kernel itself ignores case (sys/host.cc): there a mount covers every spelling.
#include <unordered_set>

#include "base/paths.h"
#include "base/text.h"
#include "pinfold/coverage.h"
#include "plan/draft.h"

namespace pinfold::plan {
namespace {

class Spellings {
 public:
  explicit Spellings(Draft& draft) : draft_(draft) {}

  void check(const std::string& path, const char* step, const char* is) {
    const std::string_view parent = paths::parent(path);
    if (!draft_.visible(parent) || !checked_.insert(parent).second) return;
    const std::string other = draft_.host.other_spelling(path);
    if (other.empty()) return;
    draft_.gaps.push_back({step, Need::kRequired,
                           text::shown(path) + " is " + is + ", but its file system also finds it as " +
                               text::shown(paths::basename(other)) + ", and the kernel compares names byte by byte"});
  }

 private:
  Draft& draft_;
  std::unordered_set<std::string_view> checked_;
};

}  // namespace

void add_spelling_gaps(Draft& draft) {
  Spellings spellings(draft);
  for (const Step& step : draft.guards)
    if (const auto* kept = std::get_if<ProtectPath>(&step.body))
      spellings.check(kept->at, step_name::kProtected, "protected");
  for (const Step& step : draft.paths)
    if (const auto* hidden = std::get_if<HidePath>(&step.body))
      spellings.check(hidden->at, hidden->pattern.empty() ? step_name::kHidden : step_name::kPatterns, "hidden");
}

}  // namespace pinfold::plan
