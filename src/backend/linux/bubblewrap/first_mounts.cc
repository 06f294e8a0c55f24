// first_mounts.cc: marks the masks, covers and self-binds below a shown directory, which init mounts by descriptor.
// Invariant: a mount in which bubblewrap mounts something stays with bubblewrap.
// Not here: mounting (child/verify_mounts.cc).
#include "backend/linux/bubblewrap/first_mounts.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace pinfold::backend::on_linux {
namespace {

using child::Op;
using child::OpKind;
using std::string_view;

bool is_mount(const Op& op) {
  return op.kind != OpKind::kMakeDirectory && op.kind != OpKind::kMakeLink && op.kind != OpKind::kMakeFile &&
         op.kind != OpKind::kRule;
}

bool is_shown(const Op& op) { return op.kind == OpKind::kBind || op.kind == OpKind::kBindRoot; }

// True if it binds the file that the mount below shows at this path, with no more rights.
bool is_bound_to_itself(const Op& op, const Op& below) {
  return string_view(op.source).substr(1) == op.target && (below.attributes & ~op.attributes) == 0 &&
         (below.kind == OpKind::kBindRoot || string_view(below.source).substr(1) == below.target);
}

bool can_init_mount(const Op& op, const Op& below) {
  if (op.location != child::TargetLocation::kShown || !is_shown(below)) return false;
  // Init mounts its stubs over /proc: a mount below /proc would have no target.
  if (string_view(op.target).starts_with("proc/")) return false;
  if (op.kind == OpKind::kBind) return is_bound_to_itself(op, below);
  return op.kind == OpKind::kMaskFile || op.kind == OpKind::kMaskDirectory || op.kind == OpKind::kCoverFile;
}

class MountTable {
 public:
  explicit MountTable(const std::vector<Op>& ops) {
    for (const Op& op : ops) ops_by_target[op.target].push_back(&op);
  }

  // The last earlier mount at its target or above; null: the sandbox's own root.
  const Op* below(const Op& op) const {
    for (string_view at = op.target;; at = at.substr(0, at.rfind('/'))) {
      const Op* found = last_before(at, op);
      if (found != nullptr || at.find('/') == string_view::npos) return found != nullptr ? found : last_before(".", op);
    }
  }

  // Does bubblewrap mount or make an entry in it, or over it?
  bool is_needed_by_bubblewrap(const Op& op) const {
    const auto stays = [&](const Op* other) { return other > &op && !other->by_descriptor; };
    const auto any = [&](const std::vector<const Op*>& list) { return std::any_of(list.begin(), list.end(), stays); };
    if (any(ops_by_target.at(op.target))) return true;
    const std::string inside = std::string(op.target) + "/";
    for (auto at = ops_by_target.lower_bound(inside); at != ops_by_target.end() && at->first.starts_with(inside); ++at)
      if (any(at->second)) return true;
    return false;
  }

 private:
  const Op* last_before(string_view at, const Op& op) const {
    const auto found = ops_by_target.find(at);
    const Op* last = nullptr;
    if (found != ops_by_target.end())
      for (const Op* each : found->second)
        if (each < &op && is_mount(*each)) last = each;
    return last;
  }

  std::map<string_view, std::vector<const Op*>> ops_by_target;
};

}  // namespace

void leave_to_init(std::vector<Op>& ops) {
  const MountTable table(ops);
  // Deep before shallow: a directory can be left to init only if the mounts in it are.
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    const Op* below = table.below(*op);
    op->by_descriptor = below != nullptr && can_init_mount(*op, *below) && !table.is_needed_by_bubblewrap(*op);
  }
}

}  // namespace pinfold::backend::on_linux
