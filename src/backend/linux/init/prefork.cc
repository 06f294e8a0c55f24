// prefork.cc: clones init and shares memory with it.
#include "backend/linux/init/prefork.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "backend/linux/child/init.h"
#include "backend/linux/child/kernel.h"
#include "backend/linux/init/failure.h"
#include "backend/linux/lower/blueprint_writer.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/event_loop.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr auto kPatience = std::chrono::microseconds(200);

}  // namespace

Result<std::unique_ptr<PreforkedInit>> PreforkedInit::create(Namespaces namespaces, std::span<char> arguments) {
  auto preforked = std::make_unique<PreforkedInit>();
  PF_TRY(arena, Arena::create(), "making the sandbox's init");
  preforked->arena_ = std::move(arena);
  child::SharedBlock empty{};
  preforked->shared_ = preforked->arena_.copy(&empty, 1);
  preforked->namespaces_ = namespaces;
  int ends[2];
  PF_TRY(
      made,
      sys::call("socketpair", "control", [&] { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }),
      "making the control socket");
  static_cast<void>(made);
  preforked->control = sys::Fd::adopt(ends[0]);
  auto theirs = sys::Fd::adopt(ends[1]);
  const std::string uid = std::to_string(::getuid());
  const std::string gid = std::to_string(::getgid());
  const std::string uid_map = uid + " " + uid + " 1\n";
  const std::string gid_map = gid + " " + gid + " 1\n";
  struct sysinfo memory {};
  ::sysinfo(&memory);
  const std::string half = std::to_string(std::uint64_t{memory.totalram} * memory.mem_unit / 2);
  const auto method =
      namespaces == Namespaces::kNone ? child::ConfinementMethod::kLandlockOnly : child::ConfinementMethod::kNamespaces;
  child::InitOptions options{method,       uid_map.c_str(), gid_map.c_str(),  preforked->private_network(),
                             half.c_str(), theirs.raw(),    arguments.data(), arguments.size()};
  // Init starts with every signal blocked; the command gets the caller's own mask back.
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &preforked->signal_mask_);
  int pidfd = -1;
  unsigned long flags = 0;
  if (namespaces != Namespaces::kNone) flags |= CLONE_NEWUSER | CLONE_NEWPID;  // init makes the others in parallel
  long pid = kernel::clone_quietly(flags, pidfd);
  if (pid == 0) child::run_init(options, *preforked->shared_);
  int error = errno;
  ::sigprocmask(SIG_SETMASK, &preforked->signal_mask_, nullptr);
  if (pid < 0) return tl::unexpected<Error>(explain_no_namespaces(error));
  preforked->pid = static_cast<pid_t>(pid);
  preforked->pidfd = sys::Fd::adopt(pidfd);
  preforked->move_to_other_cpu();
  return preforked;
}

// A scheduler that packs processes (as on small virtual machines) leaves a new process on its parent's processor until
// the parent sleeps, and then cloning ahead gains nothing: init may not use this processor while the supervisor plans.
void PreforkedInit::move_to_other_cpu() {
  int here = ::sched_getcpu();
  cpu_set_t all;
  if (here < 0 || here >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) return;
  cpu_set_t others = all;
  CPU_CLR(static_cast<std::size_t>(here), &others);
  shared_->processors = all;
  shared_->was_placed = is_on_other_cpu_ = ::sched_setaffinity(pid, sizeof others, &others) == 0;
}

// From now on init works and the supervisor waits. If init is still preparing, it may be queued behind other processes:
// here it runs as soon as the supervisor sleeps. (Moving it while it runs costs more than 200 µs of waiting.)
void PreforkedInit::allow_same_cpu(pid_t child) {
  int here = ::sched_getcpu();
  if (!std::exchange(is_on_other_cpu_, false) || here < 0 || here >= CPU_SETSIZE) return;
  for (auto end = sys::Clock::now() + kPatience; !is_prepared();) {
    if (sys::Clock::now() < end) continue;
    cpu_set_t ours;
    CPU_ZERO(&ours);
    CPU_SET(static_cast<std::size_t>(here), &ours);
    ::sched_setaffinity(child, sizeof ours, &ours);
    return;
  }
}

PreforkedInit::~PreforkedInit() {
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);  // a child of this process, not yet reaped
  while (::waitpid(pid, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

Result<void> PreforkedInit::publish(const LoweredPlan& lowered) {
  PF_CHECK(write_blueprint(lowered, lowered.ops, signal_mask_, arena_, *shared_));
  // Once prepared, init sleeps until it gets the next request, and the kernel may wake it on any processor.
  if (is_on_other_cpu_ && is_prepared()) ::sched_setaffinity(pid, sizeof shared_->processors, &shared_->processors);
  return {};
}

Result<void> PreforkedInit::publish(const std::vector<sock_filter>& filter) {
  return write_filter(filter, arena_, *shared_);
}

}  // namespace pinfold::backend::on_linux
