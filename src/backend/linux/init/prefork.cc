// prefork.cc: clones PID 1 and shares memory with it.
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

Result<std::unique_ptr<Nursery>> Nursery::begin(Namespaces namespaces, std::span<char> arguments) {
  auto nursery = std::make_unique<Nursery>();
  PF_TRY(arena, Arena::create(), "making the sandbox's first process");
  nursery->arena_ = std::move(arena);
  child::Shared empty{};
  nursery->shared_ = nursery->arena_.copy(&empty, 1);
  nursery->namespaces_ = namespaces;
  int ends[2];
  PF_TRY(
      made,
      sys::call("socketpair", "control", [&] { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }),
      "making the control socket");
  static_cast<void>(made);
  nursery->control = sys::Fd::adopt(ends[0]);
  auto theirs = sys::Fd::adopt(ends[1]);
  const std::string uid = std::to_string(::getuid());
  const std::string gid = std::to_string(::getgid());
  const std::string uid_map = uid + " " + uid + " 1\n";
  const std::string gid_map = gid + " " + gid + " 1\n";
  struct sysinfo memory {};
  ::sysinfo(&memory);
  const std::string half = std::to_string(std::uint64_t{memory.totalram} * memory.mem_unit / 2);
  const auto method = namespaces == Namespaces::kNone ? child::Method::kRules : child::Method::kNamespaces;
  child::Beginning beginning{method,       uid_map.c_str(), gid_map.c_str(),  nursery->private_network(),
                             half.c_str(), theirs.raw(),    arguments.data(), arguments.size()};
  // PID 1 starts with every signal blocked; the command gets the caller's own mask back.
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &nursery->signal_mask_);
  int pidfd = -1;
  unsigned long flags = 0;
  if (namespaces != Namespaces::kNone) flags |= CLONE_NEWUSER | CLONE_NEWPID;  // PID 1 makes the others meanwhile
  long pid = kernel::clone_quietly(flags, pidfd);
  if (pid == 0) child::pid_one(beginning, *nursery->shared_);
  int error = errno;
  ::sigprocmask(SIG_SETMASK, &nursery->signal_mask_, nullptr);
  if (pid < 0) return tl::unexpected<Error>(explain_no_namespaces(error));
  nursery->pid = static_cast<pid_t>(pid);
  nursery->pidfd = sys::Fd::adopt(pidfd);
  nursery->work_beside_us();
  return nursery;
}

// A scheduler that packs processes (small virtual machines do) leaves a new one behind its parent until that sleeps,
// and then nothing is gained: PID 1 is kept off this processor for as long as we plan.
void Nursery::work_beside_us() {
  int here = ::sched_getcpu();
  cpu_set_t all;
  if (here < 0 || here >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) return;
  cpu_set_t others = all;
  CPU_CLR(static_cast<std::size_t>(here), &others);
  shared_->processors = all;
  shared_->was_placed = is_beside_us_ = ::sched_setaffinity(pid, sizeof others, &others) == 0;
}

// From now on PID 1 works and we wait. If it is still not done with its beginning it may be waiting there behind
// others: here it runs as soon as we sleep. (Moving it while it runs costs more than a moment's patience.)
void Nursery::call_over(pid_t child) {
  int here = ::sched_getcpu();
  if (!std::exchange(is_beside_us_, false) || here < 0 || here >= CPU_SETSIZE) return;
  for (auto end = sys::Clock::now() + kPatience; !has_begun();) {
    if (sys::Clock::now() < end) continue;
    cpu_set_t ours;
    CPU_ZERO(&ours);
    CPU_SET(static_cast<std::size_t>(here), &ours);
    ::sched_setaffinity(child, sizeof ours, &ours);
    return;
  }
}

Nursery::~Nursery() {
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);  // ours, and not yet reaped
  while (::waitpid(pid, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

Result<void> Nursery::publish(const Lowered& lowered) {
  PF_CHECK(lay_down(lowered, lowered.ops, signal_mask_, arena_, *shared_), "");
  // Begun, it sleeps until it is told to go on, and the kernel may wake it up wherever it likes.
  if (is_beside_us_ && has_begun()) ::sched_setaffinity(pid, sizeof shared_->processors, &shared_->processors);
  return {};
}

Result<void> Nursery::publish(const std::vector<sock_filter>& filter) { return lay_down(filter, arena_, *shared_); }

}  // namespace pinfold::backend::on_linux
