// native.cc: walls that need nothing but the kernel: namespaces, mounts, Landlock, seccomp.
// Not here: making the first process (prefork.cc), raising the walls in it (child/).
#include "backend/linux/native/native.h"

#include <sys/socket.h>

#include <utility>

#include "backend/linux/init/prefork.h"
#include "backend/linux/sandbox.h"
#include "base/try.h"

namespace pinfold::backend::on_linux {
namespace {

class NativeWalls final : public Walls {
 public:
  NativeWalls(std::unique_ptr<Nursery> nursery, std::span<char> arguments)
      : nursery_(std::move(nursery)), arguments_(arguments) {}

  Result<std::unique_ptr<Lowered>> lower(const Plan& plan, const LandlockSupport& landlock,
                                         SharedMemory shared_memory) override {
    return on_linux::lower(plan, landlock, shared_memory, Growth::kLive);
  }

  // The nursery's process becomes ours; one that guessed the network wrong is of no use.
  Result<FirstProcess> begin(const Lowered& lowered, const Cgroup& cgroup) override {
    if (!nursery_ || nursery_->private_network() != lowered.private_network) {
      auto wanted = lowered.private_network ? Namespaces::kAll : Namespaces::kAllButNetwork;
      PF_TRY(fresh, Nursery::begin(wanted, arguments_), "");
      nursery_ = std::move(fresh);
    }
    PF_CHECK(nursery_->publish(lowered), "");
    if (!cgroup.directories().empty()) PF_CHECK(cgroup.enter(nursery_->pid), "entering the cgroup");
    first_ = std::exchange(nursery_->pid, -1);
    return FirstProcess{std::move(nursery_->control), std::move(nursery_->pidfd), first_};
  }

  Result<void> publish(const std::vector<sock_filter>& filter) override { return nursery_->publish(filter); }
  Counting counting() const override { return Counting::kPids; }
  void before_waiting() override { nursery_->call_over(first_); }
  std::vector<Coverage> judge(const Plan& plan, const WallFacts& facts, const Cgroup& cgroup) const override {
    return native_coverage(plan, facts, cgroup);
  }

 private:
  std::unique_ptr<Nursery> nursery_;  // the memory that PID 1 shares with us
  std::span<char> arguments_;
  pid_t first_ = -1;
};

class NativeBackend final : public Backend {
 public:
  explicit NativeBackend(std::span<char> arguments) : arguments_(arguments) {}
  std::string_view name() const override { return "native"; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) override {
    return raise_sandbox(plan, std::make_unique<NativeWalls>(std::move(nursery_), arguments_));
  }
  void begin(NetworkMode expected) override {
    auto guess = expected == NetworkMode::kFull ? Namespaces::kAllButNetwork : Namespaces::kAll;
    // What cannot be begun now fails again, with words, in prepare().
    if (auto nursery = Nursery::begin(guess, arguments_)) nursery_ = std::move(*nursery);
  }

 private:
  std::span<char> arguments_;
  std::unique_ptr<Nursery> nursery_;
};

}  // namespace

std::unique_ptr<Backend> make_native_backend(std::span<char> arguments) {
  return std::make_unique<NativeBackend>(arguments);
}

}  // namespace pinfold::backend::on_linux
