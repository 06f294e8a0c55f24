// sandboxes.h: watches the control sockets of this user's sandboxes, all or one, and keeps the view up to date.
// Invariant: one thread; a sandbox that is slow, stopped or gone holds nothing up. Answers go over connections of their
// own. Not here: what is shown (view.h).
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
  // `only`: the id of the one to watch; empty: all there are, and those that come.
  Sandboxes(control::Place place, std::string only, View& view);
  Sandboxes(const Sandboxes&) = delete;
  Sandboxes& operator=(const Sandboxes&) = delete;
  ~Sandboxes();

  // False: it came too late, or was not on offer.
  Result<bool> answer(const std::string& sandbox, std::uint64_t question, Answer answer) const;
  Result<void> revoke(const std::string& sandbox, std::uint64_t grant) const;

 private:
  void look_around();
  void serve(const std::string& id, control::Watch& watch);
  void run();

  control::Place place_;
  const std::string only_;
  View& view_;
  std::map<std::string, control::Watch> watched_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace pinfold::web
