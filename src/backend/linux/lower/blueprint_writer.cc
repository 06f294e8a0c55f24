// blueprint_writer.cc: copies a blueprint and the command frame, pointer by pointer.
#include "backend/linux/lower/blueprint_writer.h"

#include "base/try.h"

namespace pinfold::backend::on_linux {

Result<void> write_blueprint(const LoweredPlan& lowered, const std::vector<child::Op>& ops, const sigset_t& signal_mask,
                             Arena& arena, child::SharedBlock& shared) {
  child::Blueprint blueprint = lowered.blueprint;
  child::Op* copies = arena.copy(ops.data(), ops.size());
  for (std::size_t i = 0; copies != nullptr && i < ops.size(); ++i) {
    copies[i].source = arena.copy(copies[i].source);
    copies[i].target = arena.copy(copies[i].target);
    copies[i].text = copies[i].text == nullptr ? nullptr : arena.copy(copies[i].text, copies[i].length + 1);
  }
  blueprint.ops = copies;
  blueprint.op_count = ops.size();
  blueprint.pid_max = arena.copy(blueprint.pid_max);
  for (const char*& loader : blueprint.landlock_execute) loader = arena.copy(loader);
  child::CommandFrame frame = lowered.frame;
  frame.working_dir = arena.copy(frame.working_dir);
  frame.signal_mask = signal_mask;
  shared.blueprint = blueprint;
  shared.frame = frame;
  return write_filter(lowered.filter, arena, shared);
}

Result<void> write_filter(const std::vector<sock_filter>& filter, Arena& arena, child::SharedBlock& shared) {
  shared.frame.filter = arena.copy(filter.data(), filter.size());
  shared.frame.filter_length = static_cast<unsigned short>(filter.size());
  if (!arena.overflowed()) return {};
  return fail(ErrorKind::kInvalid, "the policy has too many rules for one sandbox", "merge rules");
}

}  // namespace pinfold::backend::on_linux
