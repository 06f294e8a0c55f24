// backend.h: the interface of every backend: prepares a sandbox for a plan, reports coverage, starts commands in it.
// Invariant: prepare() sets up all confinement but runs no program of the user; a command starts only if every
// mechanism is in force as coverage() says.
// Not here: time limits, copying streams, approval requests (supervisor).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pinfold/approval.h"
#include "pinfold/coverage.h"
#include "pinfold/network.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"
#include "sys/event_loop.h"
#include "sys/fd.h"
#include "sys/terminal_settings.h"

namespace pinfold::backend {

// The command's descriptors 0, 1 and 2. kTerminal: the slave side of a new pty, opened inside the sandbox.
enum class StdioKind { kPass, kTerminal };
// Blocked and ignored signals of the command: inherited from the caller, or none.
enum class SignalState { kInherit, kFresh };
// State of the sandbox after the command exits. kEnd: init ends the sandbox without waiting for a request.
enum class AfterExit { kWait, kEnd };
struct Launch {
  std::vector<std::string> argv;
  SignalState signals = SignalState::kInherit;
  StdioKind stdio[3] = {StdioKind::kPass, StdioKind::kPass, StdioKind::kPass};
  int fds[3] = {0, 1, 2};            // for kPass; borrowed until start() returns
  sys::TerminalSettings terminal{};  // for kTerminal: settings and size that it starts with
  sys::TerminalSize terminal_size{};
  std::string working_dir{};          // absolute; empty: the plan's
  std::vector<Variable> variables{};  // added to the plan's; replace those of the same name
  AfterExit after_exit = AfterExit::kWait;
};

struct StartResult {
  sys::Fd terminal;  // the master side, when any stdio is kTerminal
};

struct CommandExit {
  int wait_status = 0;  // as from waitpid; on Windows the exit code itself
};

// A socket in the sandbox's network namespace that the supervisor serves. A stream socket listens.
enum class SocketKind { kStream, kDatagram };
struct SandboxSocket {
  SocketKind kind = SocketKind::kStream;
  IpAddress address;
  std::uint16_t port = 0;
};

struct TreeUsage {
  std::uint64_t memory = 0;     // bytes now
  std::uint64_t processes = 0;  // now
  std::chrono::milliseconds cpu{0};
  bool out_of_memory = false;  // the kernel killed a process because of the memory limit
};

// Whether the denied call can be performed once without widening the sandbox (scope `once`).
enum class OnceOption { kOffered, kNotOffered };

// Events that a sandbox reports to the supervisor, from the event loop.
class SandboxEvents {
 public:
  virtual ~SandboxEvents() = default;
  virtual void command_ended(const CommandExit& ended) = 0;
  virtual void command_stopped() = 0;  // by SIGSTOP, SIGTSTP, SIGTTIN or SIGTTOU
  virtual void denied(Denial denial) = 0;
  // The caller of the denied call waits for Sandbox::answer(), which may run before this returns. False: no approver
  // is available.
  virtual bool request_approval(std::uint64_t id, const Denial& denial, OnceOption once) {
    static_cast<void>(id), static_cast<void>(denial), static_cast<void>(once);
    return false;
  }
  virtual void approval_withdrawn(std::uint64_t id) { static_cast<void>(id); }  // the caller exited or was interrupted
  // The guard undid a change to a protected path after the fact; the run must end.
  virtual void breached(Denial denial, std::string note) = 0;
  virtual void sandbox_gone(std::string why) = 0;  // PID 1 died
};

class Sandbox {
 public:
  virtual ~Sandbox() = default;  // kills and reaps every process, removes the files that prepare() made on the host
  virtual const std::vector<Coverage>& coverage() const = 0;
  // Does everything that start() does, except execve(), so that coverage() is final before any command runs.
  virtual Result<void> rehearse() { return {}; }
  // kUnavailable: a mechanism that can be tested only now is missing. coverage() has changed: check it, then call
  // start() again.
  virtual Result<StartResult> start(const Launch& launch) = 0;
  // False: this host cannot enforce this sandbox. Another backend may; calling start() again fails again.
  virtual bool usable() const { return true; }
  // Non-blocking and close-on-exec. Before start() or after it; kUnavailable as with start().
  virtual Result<sys::Fd> open_socket(const SandboxSocket& wanted) {
    static_cast<void>(wanted);
    return fail(ErrorKind::kUnavailable, "this backend has no network by name", "use --net none or full");
  }
  // True: the backend has no network namespace, but can restrict the command to one port of the host's loopback, where
  // the supervisor serves a proxy (net/proxy.h). Before start().
  virtual bool wants_proxy() const { return false; }
  virtual void use_proxy(std::uint16_t port, const std::vector<std::pair<std::string, std::string>>& variables) {
    static_cast<void>(port), static_cast<void>(variables);
  }
  // A handle for one more command in this sandbox, with the same confinement. This sandbox must outlive the handle.
  // kill() on the handle ends that command and its process tree only. Processes that the command leaves running when it
  // exits stay.
  virtual Result<std::unique_ptr<Sandbox>> open_command_sandbox() {
    return fail(ErrorKind::kUnavailable, "this backend runs one command in a sandbox", "use pinfold run");
  }
  // Keeps the reading end of a stream open and drains it: processes that an exited command left running still write to
  // it and must not get SIGPIPE or block.
  virtual void keep_reading(sys::Fd stream) { static_cast<void>(stream); }
  virtual void attach(sys::EventLoop& loop, SandboxEvents& events) = 0;
  // Decides a request made by SandboxEvents::request_approval(). For kSession and kAlways the sandbox is widened first:
  // `wider` is the plan with all grants so far. On an error the call was denied, for the reason in the error.
  virtual Result<void> answer(std::uint64_t id, ApprovalDecision answer, const std::shared_ptr<const Plan>& wider) {
    static_cast<void>(id), static_cast<void>(answer), static_cast<void>(wider);
    return fail(ErrorKind::kUnavailable, "this backend cannot widen a running sandbox", "run it again");
  }
  // Removes a grant: later opens fail; descriptors that processes hold already stay open.
  virtual Result<void> revoke_grant(const Grant& grant, const std::shared_ptr<const Plan>& narrower) {
    static_cast<void>(grant), static_cast<void>(narrower);
    return fail(ErrorKind::kUnavailable, "this backend cannot narrow a running sandbox", "run it again");
  }
  virtual void signal(int number) = 0;  // to the command's process group
  virtual void terminate() = 0;         // SIGTERM and SIGCONT to every process inside
  virtual void kill() = 0;              // SIGKILL to every process
  // Kills, reaps and cleans up after the run; returns the resources that the process tree used. Adds notes and denials
  // for the report.
  virtual Usage finish(std::vector<std::string>& notes, std::vector<Denial>& denials) = 0;
  virtual std::optional<TreeUsage> usage() = 0;  // now, for limits that the kernel does not enforce
  // True: the supervisor must poll usage() for this limit. Also for limits at which the kernel kills one process,
  // because a limit ends the whole tree.
  virtual bool watches(LimitKind kind) const = 0;
};

// The note of finish() when the kernel killed a process because of its cgroup's memory limit.
inline constexpr const char* kOutOfMemoryNote = "the memory limit was reached and the kernel ended a process";

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // Starts work that needs no plan while the caller compiles one. Optional: saves time only.
  virtual void begin(NetworkMode expected) { static_cast<void>(expected); }
  virtual Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) = 0;
};

}  // namespace pinfold::backend
