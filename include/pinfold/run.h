// run.h: loads a policy, plans, assesses coverage, runs commands and reports.
// Invariant: throws nothing; leaves no signal handler, child, descriptor or terminal setting behind in the calling
// process. Every function may be called from any thread, and from several at once.
// Not here: building a policy in code (policy.h), one path (scope.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pinfold/approval.h"
#include "pinfold/coverage.h"
#include "pinfold/export.h"
#include "pinfold/plan.h"
#include "pinfold/policy.h"
#include "pinfold/report.h"

namespace pinfold {

// Home and working directory of this process.
PINFOLD_API Result<Caller> find_caller() noexcept;

// kPass: the command inherits this process's standard streams; where one is a terminal, it gets a pseudo-terminal.
// kCapture: the command reads Command::input and its output is kept; this process's streams and terminal are not used.
enum class Output { kPass, kCapture };

struct Command {
  std::vector<std::string> argv{};           // argv[0] is searched in the sandbox's PATH
  std::optional<std::string> working_dir{};  // absolute; default: the caller's, or the first workspace
  Output output = Output::kCapture;
  std::string input{};  // with kCapture: standard input; empty: /dev/null
  std::size_t capture_limit = std::size_t{16}
                              << 20;  // with kCapture: bytes kept of each stream; the rest is read and dropped
  // A denied call waits while the runner's decider decides about it (ApprovalRequest).
  bool ask = false;
};

struct RunResult {
  Report report;
  std::string out{};
  std::string err{};
  bool truncated = false;  // a stream was longer than capture_limit
};

// The sources of a policy; each overrides those before it. docs/reference/policy.md has their order and keys.
struct LoadOptions {
  bool user_file = false;          // ~/.config/pinfold/config.toml
  bool project_file = false;       // the nearest pinfold.toml; refused if it requests more than the user consented to
  bool environment = false;        // PINFOLD_*
  std::string toml{};              // the program's own settings, without profiles
  std::string json{};              // the same in JSON; set at most one of the two
  std::optional<Caller> caller{};  // instead of find_caller()
  std::optional<danger::FullAccess> full_access{};  // required for profile = "danger-full-access"
};

// One sandbox for many commands. Files in its private directories and processes that a command leaves running are there
// for the next command. The policy's limits apply to each command; a time-out ends only that command's process tree.
// Use it from one thread at a time. Processes left running get network by name and the guard of protected names only
// while a command runs.
class PINFOLD_API Session {
 public:
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();  // kills every process inside

  const std::vector<Coverage>& coverage() const noexcept;
  // Like Runner::run(), in this sandbox; the default working directory is the session's.
  Result<RunResult> run(const Command& command) noexcept;

 private:
  friend class Runner;
  struct Body;
  explicit Session(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> body_;
};

class PINFOLD_API Runner {
 public:
  static Result<Runner> create() noexcept;
  Runner(Runner&& other) noexcept;
  Runner& operator=(Runner&& other) noexcept;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  // Without a decider every request is denied. Must not be called while another thread uses this Runner.
  void set_decider(std::shared_ptr<Decider> decider) noexcept;

  Result<Policy> load(const LoadOptions& options) const noexcept;
  // The plan of a run of this command.
  Result<Plan> compile(const Policy& policy, const Command& command) const noexcept;
  // Makes a sandbox, reports its coverage and removes it; runs nothing.
  Result<std::vector<Coverage>> assess(const Plan& plan) const noexcept;
  // Blocks until the command and all its descendants have ended. Fails only before a sandbox is made (a policy that
  // does not fit this host, no command). Every later result, including a refusal, is an outcome in the report.
  Result<RunResult> run(const Policy& policy, const Command& command) const noexcept;
  // Makes a sandbox and runs nothing. Fails if no backend can make one, or only with a gap that the policy does not
  // accept.
  Result<Session> start(const Policy& policy) const noexcept;

 private:
  struct Body;
  explicit Runner(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> body_;
};

}  // namespace pinfold
