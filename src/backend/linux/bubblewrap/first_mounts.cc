// first_mounts.cc: see first_mounts.h.
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

bool mounts(const Op& op) {
  return op.kind != OpKind::kMakeDirectory && op.kind != OpKind::kMakeLink && op.kind != OpKind::kMakeFile &&
         op.kind != OpKind::kRule;
}

bool is_shown(const Op& op) { return op.kind == OpKind::kBind || op.kind == OpKind::kBindRoot; }

// The same file as the mount below shows at this place, with no more rights.
bool is_bound_to_itself(const Op& op, const Op& below) {
  return string_view(op.source).substr(1) == op.target && (below.attributes & ~op.attributes) == 0 &&
         (below.kind == OpKind::kBindRoot || string_view(below.source).substr(1) == below.target);
}

bool may_be_left(const Op& op, const Op& below) {
  if (op.place != child::Place::kShown || !is_shown(below)) return false;
  if (op.kind == OpKind::kBind) return is_bound_to_itself(op, below);
  return op.kind == OpKind::kMaskFile || op.kind == OpKind::kMaskDirectory || op.kind == OpKind::kCoverFile;
}

class Places {
 public:
  explicit Places(const std::vector<Op>& ops) {
    for (const Op& op : ops) places_[op.target].push_back(&op);
  }

  // The last mount before this one at its place or above; null: the sandbox's own root.
  const Op* below(const Op& op) const {
    for (string_view at = op.target;; at = at.substr(0, at.rfind('/'))) {
      const Op* found = last_before(at, op);
      if (found != nullptr || at.find('/') == string_view::npos) return found != nullptr ? found : last_before(".", op);
    }
  }

  // Does bubblewrap mount or make something in it, or over it?
  bool is_needed_by_bubblewrap(const Op& op) const {
    const auto stays = [&](const Op* other) { return other > &op && !other->by_descriptor; };
    const auto any = [&](const std::vector<const Op*>& list) { return std::any_of(list.begin(), list.end(), stays); };
    if (any(places_.at(op.target))) return true;
    const std::string inside = std::string(op.target) + "/";
    for (auto at = places_.lower_bound(inside); at != places_.end() && at->first.starts_with(inside); ++at)
      if (any(at->second)) return true;
    return false;
  }

 private:
  const Op* last_before(string_view at, const Op& op) const {
    const auto found = places_.find(at);
    const Op* last = nullptr;
    if (found != places_.end())
      for (const Op* each : found->second)
        if (each < &op && mounts(*each)) last = each;
    return last;
  }

  std::map<string_view, std::vector<const Op*>> places_;
};

}  // namespace

void leave_to_first_process(std::vector<Op>& ops) {
  const Places places(ops);
  // Deep before shallow: a directory can be left only if the mounts in it are.
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    const Op* below = places.below(*op);
    op->by_descriptor = below != nullptr && may_be_left(*op, *below) && !places.is_needed_by_bubblewrap(*op);
  }
}

}  // namespace pinfold::backend::on_linux
