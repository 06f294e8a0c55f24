// prefork.h: init before there is a plan. It is cloned first and makes its namespaces while the supervisor reads the
// policy: a network namespace alone takes the kernel as long as a bare exec.
// Invariant: without a blueprint it makes only what every sandbox has in common; the destructor kills and reaps it.
// Not here: its work (child/init.cc).
#pragma once

#include <sys/types.h>

#include <csignal>
#include <memory>
#include <span>
#include <vector>

#include "backend/linux/child/blueprint.h"
#include "backend/linux/lower/arena.h"
#include "backend/linux/lower/lower.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

// kNone: no namespaces at all; init is an ordinary process.
enum class Namespaces { kAll, kAllButNetwork, kNone };

class PreforkedInit {
 public:
  // `arguments`: see native.h.
  static Result<std::unique_ptr<PreforkedInit>> create(Namespaces namespaces, std::span<char> arguments);
  PreforkedInit() = default;
  PreforkedInit(const PreforkedInit&) = delete;
  PreforkedInit& operator=(const PreforkedInit&) = delete;
  ~PreforkedInit();

  bool private_network() const { return namespaces_ == Namespaces::kAll; }
  // Writes the blueprint and the command frame where init reads them.
  Result<void> publish(const LoweredPlan& lowered);
  // Later commands get this filter instead.
  Result<void> publish(const std::vector<sock_filter>& filter);

  // Before waiting for an event: lets init, by then the sandbox's `child`, run on this processor, too.
  void allow_same_cpu(pid_t child);

  // The sandbox takes these over.
  sys::Fd control;
  sys::Fd pidfd;
  pid_t pid = -1;

 private:
  void move_to_other_cpu();
  bool is_prepared() const { return __atomic_load_n(&shared_->is_prepared, __ATOMIC_ACQUIRE); }

  Arena arena_;
  child::SharedBlock* shared_ = nullptr;
  sigset_t signal_mask_{};
  Namespaces namespaces_ = Namespaces::kAll;
  bool is_on_other_cpu_ = false;
};

}  // namespace pinfold::backend::on_linux
