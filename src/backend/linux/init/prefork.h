// prefork.h: PID 1 before there is a plan. It is cloned first and makes its namespaces while the supervisor is still
// reading the policy: a network namespace alone takes the kernel as long as a whole bare exec.
// Invariant: until it is handed a blueprint it makes only what is the same in every sandbox; destroyed, it is killed
// and reaped. Not here: what it does (child/init.cc).
#pragma once

#include <sys/types.h>

#include <csignal>
#include <memory>
#include <span>
#include <vector>

#include "backend/linux/lower/arena.h"
#include "backend/linux/child/blueprint.h"
#include "backend/linux/lower/lower.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

// kNone: no namespaces at all; the first process is an ordinary one.
enum class Namespaces { kAll, kAllButNetwork, kNone };

class Nursery {
 public:
  // `arguments`: see native.h.
  static Result<std::unique_ptr<Nursery>> begin(Namespaces namespaces, std::span<char> arguments);
  Nursery() = default;
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;
  ~Nursery();

  bool private_network() const { return namespaces_ == Namespaces::kAll; }
  // Lays the blueprint and the frame of commands down where PID 1 finds them.
  Result<void> publish(const Lowered& lowered);
  // The commands to come get this filter instead.
  Result<void> publish(const std::vector<sock_filter>& filter);

  // Before waiting for an answer: PID 1, by then the sandbox's `child`, may run where we do.
  void call_over(pid_t child);

  // Taken over by the sandbox.
  sys::Fd control;
  sys::Fd pidfd;
  pid_t pid = -1;

 private:
  void work_beside_us();
  bool has_begun() const { return __atomic_load_n(&shared_->has_begun, __ATOMIC_ACQUIRE); }

  Arena arena_;
  child::Shared* shared_ = nullptr;
  sigset_t signal_mask_{};
  Namespaces namespaces_ = Namespaces::kAll;
  bool is_beside_us_ = false;
};

}  // namespace pinfold::backend::on_linux
