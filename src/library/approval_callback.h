// approval_callback.h: asks the host program's decider about what its command tries, while that waits.
// Invariant: somebody else's code: one that throws has said no; a no, and a yes for longer than once, are not asked for
// again. While it decides, nothing of this run moves but the command itself.
// Not here: what a yes changes (supervisor/approvals.h).
#pragma once

#include <map>
#include <string>
#include <utility>

#include "pinfold/question.h"
#include "supervisor/asker.h"

namespace pinfold::library {

class DeciderAsker final : public supervisor::Asker {
 public:
  explicit DeciderAsker(Decider& decider) : decider_(decider) {}
  void ask(AccessQuestion question, Reply reply) override;
  void withdraw(std::uint64_t) override {}  // it has been answered before anybody could leave

 private:
  Decider& decider_;
  std::map<std::pair<std::string, std::string>, Answer> known_;  // operation and resource
};

}  // namespace pinfold::library
