// sandboxes.h: watches the control sockets of all of this user's sandboxes, or of one, and updates the view.
// Invariant: one thread; a sandbox that is slow, stopped or dead does not block it. Decisions use connections of their
// own. Not here: the state that the page shows (view.h).
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <thread>

#include "control/client.h"
#include "control/runtime_dir.h"
#include "web/view.h"

namespace pinfold::web {

class Sandboxes {
 public:
  // `only`: the id of the sandbox to watch; empty: all present and future ones.
  Sandboxes(control::RuntimeDir runtime, std::string only, View& view);
  Sandboxes(const Sandboxes&) = delete;
  Sandboxes& operator=(const Sandboxes&) = delete;
  ~Sandboxes();

  // False: the decision came too late, or was not offered.
  Result<bool> decide(const std::string& sandbox, std::uint64_t request, ApprovalDecision decision) const;
  Result<void> revoke(const std::string& sandbox, std::uint64_t grant) const;

 private:
  void find_sandboxes();
  void serve(const std::string& id, control::Watch& watch);
  void run();

  control::RuntimeDir runtime_;
  const std::string only_;
  View& view_;
  std::map<std::string, control::Watch> watched_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace pinfold::web
