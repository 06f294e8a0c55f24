// run.h: read a policy, plan, ask how well, run a command, and be told what happened.
// Invariant: nothing is thrown; the process that calls is left as it was: no signal handler, no child, no descriptor,
// no setting of a terminal stays behind. Every function may be called from any thread, and from several at once.
// Not here: building a policy in code (policy.h), one path (scope.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pinfold/coverage.h"
#include "pinfold/export.h"
#include "pinfold/plan.h"
#include "pinfold/policy.h"
#include "pinfold/question.h"
#include "pinfold/report.h"

namespace pinfold {

// Home and working directory of this process.
PINFOLD_API Result<Caller> find_caller() noexcept;

// kPass: the command has this process's own standard streams, and a terminal of its own where one of them is a
// terminal. kCapture: it reads Command::input and what it writes is kept; neither streams nor terminal are touched.
enum class Output { kPass, kCapture };

struct Command {
  std::vector<std::string> argv{};           // argv[0] is looked for in the sandbox's PATH
  std::optional<std::string> working_dir{};  // absolute; without it the caller's, or the first workspace
  Output output = Output::kCapture;
  std::string input{};  // with kCapture: what the command reads; empty: /dev/null
  std::size_t capture_limit = std::size_t{16}
                              << 20;  // with kCapture: bytes kept of each stream; the rest is read and dropped
  // The runner's decider is asked about what the policy does not allow, while the command waits (AccessQuestion).
  bool ask = false;
};

struct Ran {
  Report report;
  std::string out{};
  std::string err{};
  bool truncated = false;  // a stream was longer than capture_limit
};

// What a policy is made from, each source overriding those before it; docs/policy.md has their order and keys.
struct LoadOptions {
  bool user_file = false;          // ~/.config/pinfold/config.toml
  bool project_file = false;       // the nearest pinfold.toml; refused if it asks for more than the user agreed to
  bool environment = false;        // PINFOLD_*
  std::string toml{};              // the program's own word: settings, but no profiles of its own
  std::string json{};              // the same in JSON; one of the two
  std::optional<Caller> caller{};  // instead of find_caller()
  std::optional<danger::FullAccess> full_access{};  // needed where it says profile = "danger-full-access"
};

// One sandbox for many commands: files in its private directories and processes that one leaves behind are there for
// the next. The policy's limits hold for each command; a time-out ends that command with its tree and nothing else.
// From one thread at a time. What is left running is served (network by name, protected names) while a command runs.
class PINFOLD_API Session {
 public:
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();  // ends everything inside

  const std::vector<Coverage>& coverage() const noexcept;
  // As Runner::run(), but in this sandbox; without a working directory, that of the session.
  Result<Ran> run(const Command& command) noexcept;

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

  // Who is asked; nobody at first, which means no. Not while another thread runs something.
  void set_decider(std::shared_ptr<Decider> decider) noexcept;

  Result<Policy> load(const LoadOptions& options) const noexcept;
  // The steps that a run of this command would take.
  Result<Plan> compile(const Policy& policy, const Command& command) const noexcept;
  // How well this host enforces them, found by raising the walls and taking them down again; runs nothing.
  Result<std::vector<Coverage>> assess(const Plan& plan) const noexcept;
  // Blocks until the command and everything it started are gone. An error: it came to no sandbox (a policy that does
  // not fit this host, no command). Anything later, refusals included, is an outcome in the report.
  Result<Ran> run(const Policy& policy, const Command& command) const noexcept;
  // Raises the walls, and runs nothing. An error: they do not stand, or with a gap that the policy does not accept.
  Result<Session> start(const Policy& policy) const noexcept;

 private:
  struct Body;
  explicit Runner(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> body_;
};

}  // namespace pinfold
