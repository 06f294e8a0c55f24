// backend.h: what every backend offers: prepare a sandbox for a plan, say how well, then start commands in it.
// Invariant: prepare() raises every wall but runs nothing of the user's; a command starts only if every wall stands as
// coverage() says.
// Not here: time-outs, streams, asking (supervisor).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pinfold/coverage.h"
#include "pinfold/network.h"
#include "pinfold/plan.h"
#include "pinfold/question.h"
#include "pinfold/report.h"
#include "sys/event_loop.h"
#include "sys/fd.h"
#include "sys/terminal_settings.h"

namespace pinfold::backend {

// What the command's descriptors 0, 1 and 2 are. Terminal: the slave side of a new pty, made inside the sandbox.
enum class StdioKind { kPass, kTerminal };
// Which signals the command finds blocked or ignored: those that the caller has, or none.
enum class SignalState { kInherit, kFresh };
// What becomes of the sandbox when the command has ended. kEnd saves asking for it.
enum class Then { kWait, kEnd };
struct Launch {
  std::vector<std::string> argv;
  SignalState signals = SignalState::kInherit;
  StdioKind stdio[3] = {StdioKind::kPass, StdioKind::kPass, StdioKind::kPass};
  int fds[3] = {0, 1, 2};            // for kPass; borrowed until start() returns
  sys::TerminalSettings terminal{};  // for kTerminal: settings and size that it starts with
  sys::TerminalSize terminal_size{};
  std::string working_dir{};          // absolute; empty: the plan's
  std::vector<Variable> variables{};  // on top of the plan's, in place of those of the same name
  Then then = Then::kWait;
};

struct Started {
  sys::Fd terminal;  // the master side, when any stdio is kTerminal
};

struct Ended {
  int wait_status = 0;  // as from waitpid; on Windows the exit code itself
};

// A socket in the sandbox's network, for the supervisor to serve; one for streams listens.
enum class SocketKind { kStream, kDatagram };
struct InsideSocket {
  SocketKind kind = SocketKind::kStream;
  IpAddress address;
  std::uint16_t port = 0;
};

struct TreeUsage {
  std::uint64_t memory = 0;     // bytes now
  std::uint64_t processes = 0;  // now
  std::chrono::milliseconds cpu{0};
  bool out_of_memory = false;  // the kernel has ended a process for the limit
};

// Can what was tried be allowed this one time, or only by widening the sandbox?
enum class Once { kOffered, kNotOffered };

// Told to the supervisor from the event loop.
class SandboxEvents {
 public:
  virtual ~SandboxEvents() = default;
  virtual void command_ended(const Ended& ended) = 0;
  virtual void command_stopped() = 0;  // by SIGTSTP and the like
  virtual void denied(Denial denial) = 0;
  // Whoever tried this waits for Sandbox::answer(), which may come before this returns. False: nobody can be asked.
  virtual bool asks(std::uint64_t id, const Denial& denial, Once once) {
    static_cast<void>(id), static_cast<void>(denial), static_cast<void>(once);
    return false;
  }
  virtual void withdrawn(std::uint64_t id) { static_cast<void>(id); }  // it is gone, or waits no more
  virtual void breached(Denial denial, std::string note) = 0;          // something was undone; the run must end
  virtual void sandbox_gone(std::string why) = 0;                      // PID 1 died
};

class Sandbox {
 public:
  virtual ~Sandbox() = default;  // kills and reaps everything, removes what prepare() put on the host
  virtual const std::vector<Coverage>& coverage() const = 0;
  // Everything that start() does short of executing, so that coverage() is final without running anything.
  virtual Result<void> rehearse() { return {}; }
  // kUnavailable: a wall that can only be tried now is missing; coverage() has changed, look at it and start again.
  virtual Result<Started> start(const Launch& launch) = 0;
  // False once it is known that these walls cannot stand on this host: another backend may do, asking again will not.
  virtual bool usable() const { return true; }
  // Non-blocking and close-on-exec. Before start() or after it; kUnavailable as with start().
  virtual Result<sys::Fd> open_socket(const InsideSocket& wanted) {
    static_cast<void>(wanted);
    return fail(ErrorKind::kUnavailable, "this backend has no network by name", "use --net none or full");
  }
  // Has no network of its own, but can be held to one port of the host's loopback: names are then asked for at a proxy
  // there (net/proxy.h). Before start().
  virtual bool wants_proxy() const { return false; }
  virtual void use_proxy(std::uint16_t port, const std::vector<std::pair<std::string, std::string>>& variables) {
    static_cast<void>(port), static_cast<void>(variables);
  }
  // Room for one more command, beside others, in this sandbox, which must outlive it: kill() there ends that command
  // with its whole tree and nothing else, and what it leaves behind when it ends by itself stays. Its walls are this
  // one's.
  virtual Result<std::unique_ptr<Sandbox>> open_room() {
    return fail(ErrorKind::kUnavailable, "this backend runs one command in a sandbox", "use pinfold run");
  }
  // The reading end of a stream that what a command has left behind still writes to: it must not feel that nobody
  // listens.
  virtual void keep_reading(sys::Fd stream) { static_cast<void>(stream); }
  virtual void attach(sys::EventLoop& loop, SandboxEvents& events) = 0;
  // To SandboxEvents::asks(). With kSession and kAlways the sandbox is widened first: `wider` is the plan with all that
  // is granted by now. An error: it was answered no, for this reason.
  virtual Result<void> answer(std::uint64_t id, Answer answer, const std::shared_ptr<const Plan>& wider) {
    static_cast<void>(id), static_cast<void>(answer), static_cast<void>(wider);
    return fail(ErrorKind::kUnavailable, "this backend cannot widen a sandbox that runs", "run it again");
  }
  // What a grant showed is gone for whoever opens it from now on; what is open stays open.
  virtual Result<void> take_back(const Grant& grant, const std::shared_ptr<const Plan>& narrower) {
    static_cast<void>(grant), static_cast<void>(narrower);
    return fail(ErrorKind::kUnavailable, "this backend cannot narrow a sandbox that runs", "run it again");
  }
  virtual void signal(int number) = 0;  // to the command's process group
  virtual void terminate() = 0;         // SIGTERM and SIGCONT to every process inside
  virtual void kill() = 0;              // ends everything, at once
  // Kills, reaps, cleans up what the run left; returns what the whole tree used and notes for the report.
  virtual Usage finish(std::vector<std::string>& notes, std::vector<Denial>& denials) = 0;
  virtual std::optional<TreeUsage> usage() = 0;  // now, for limits that the kernel does not watch
  // Limits that the supervisor must watch itself by polling usage(): also those by which the kernel ends one process,
  // because a limit ends the whole tree.
  virtual bool watches(LimitKind kind) const = 0;
};

// What finish() notes when the kernel ended a process for its cgroup's memory limit.
inline constexpr const char* kOutOfMemoryNote = "the memory limit was reached and the kernel ended a process";

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // Begins what needs no plan while the caller makes one; only ever saves time.
  virtual void begin(NetworkMode expected) { static_cast<void>(expected); }
  virtual Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) = 0;
};

}  // namespace pinfold::backend
