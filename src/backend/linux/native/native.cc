// native.cc: confinement by the kernel alone: namespaces, mounts, Landlock, seccomp.
// Not here: making init (prefork.cc), confining it (child/).
#include "backend/linux/native/native.h"

#include <sys/socket.h>

#include <utility>

#include "backend/linux/init/prefork.h"
#include "backend/linux/sandbox.h"
#include "base/try.h"

namespace pinfold::backend::on_linux {
namespace {

class NativeConfinement final : public Confinement {
 public:
  NativeConfinement(std::unique_ptr<PreforkedInit> preforked, std::span<char> arguments)
      : preforked_(std::move(preforked)), arguments_(arguments) {}

  Result<std::unique_ptr<LoweredPlan>> lower(const Plan& plan, const LandlockSupport& landlock,
                                             SharedMemory shared_memory) override {
    return on_linux::lower(plan, landlock, shared_memory, Growth::kLive);
  }

  // Takes over the preforked init; one with the wrong network namespace is replaced.
  Result<InitProcess> start_init(const LoweredPlan& lowered, const Cgroup& cgroup) override {
    if (!preforked_ || preforked_->private_network() != lowered.private_network) {
      auto wanted = lowered.private_network ? Namespaces::kAll : Namespaces::kAllButNetwork;
      PF_TRY(fresh, PreforkedInit::create(wanted, arguments_));
      preforked_ = std::move(fresh);
    }
    PF_CHECK(preforked_->publish(lowered));
    if (!cgroup.directories().empty()) PF_CHECK(cgroup.enter(preforked_->pid), "entering the cgroup");
    first_ = std::exchange(preforked_->pid, -1);
    return InitProcess{std::move(preforked_->control), std::move(preforked_->pidfd), first_};
  }

  Result<void> publish(const std::vector<sock_filter>& filter) override { return preforked_->publish(filter); }
  Counting counting() const override { return Counting::kPids; }
  void before_waiting() override { preforked_->allow_same_cpu(first_); }
  std::vector<Coverage> assess(const Plan& plan, const ConfinementFacts& facts, const Cgroup& cgroup) const override {
    return native_coverage(plan, facts, cgroup);
  }

 private:
  std::unique_ptr<PreforkedInit> preforked_;  // the memory shared with init
  std::span<char> arguments_;
  pid_t first_ = -1;
};

class NativeBackend final : public Backend {
 public:
  explicit NativeBackend(std::span<char> arguments) : arguments_(arguments) {}
  std::string_view name() const override { return "native"; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) override {
    return start_sandbox(plan, std::make_unique<NativeConfinement>(std::move(preforked_), arguments_));
  }
  void begin(NetworkMode expected) override {
    auto guess = expected == NetworkMode::kFull ? Namespaces::kAllButNetwork : Namespaces::kAll;
    // If this fails, prepare() tries again and reports the error.
    if (auto preforked = PreforkedInit::create(guess, arguments_)) preforked_ = std::move(*preforked);
  }

 private:
  std::span<char> arguments_;
  std::unique_ptr<PreforkedInit> preforked_;
};

}  // namespace

std::unique_ptr<Backend> make_native_backend(std::span<char> arguments) {
  return std::make_unique<NativeBackend>(arguments);
}

}  // namespace pinfold::backend::on_linux
