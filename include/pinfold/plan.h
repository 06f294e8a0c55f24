// plan.h: a plan: a closed set of steps, compiled from a policy and facts about the host, which a backend enforces.
// Invariant: all paths are canonical; path steps are ordered from shallow to deep; the plan is complete, so backends
// add no access. Not here: how a step is enforced, or how well (coverage.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pinfold/network.h"
#include "pinfold/policy.h"

namespace pinfold {

// Required: the run is refused if the step is not fully enforced. Best effort: a gap is only reported.
enum class Need { kRequired, kBestEffort };

enum class View { kRead, kReadExec, kWrite, kWriteExec };
enum class Ensure { kExists, kCreate };  // kCreate: a private directory that Pinfold creates and keeps (caches)
enum class EntryKind { kFile, kDirectory };

// Makes a host file or directory visible at `at` (usually the same path).
struct ShowPath {
  std::string host;
  std::string at;
  View view = View::kRead;
  EntryKind kind = EntryKind::kDirectory;
  Ensure ensure = Ensure::kExists;
  std::vector<std::string> subdirectories{};  // with kCreate: names to create inside `host`
};
// Masks a path inside a visible directory.
struct HidePath {
  std::string at;
  EntryKind kind = EntryKind::kDirectory;
  std::string pattern{};  // the pattern that matched it; empty for a path rule
  bool own = false;       // one of Pinfold's own directories: a backend that cannot hide it must hide its parent, too
  // With `own`, in a writable root: the directories between the root and it, which must not be renamed.
  std::vector<std::string> pins{};
};
// Makes an existing file or directory inside a writable root read-only. `pins` are the directories between the root
// and it, which must not be renamed.
struct ProtectPath {
  std::string at;
  EntryKind kind = EntryKind::kDirectory;
  std::vector<std::string> pins;
};
// Prevents the creation of a name in `parent`. kWatch writes nothing to the host: trapped calls that would create it
// are refused, and a creation that was missed is undone. kPlaceholder creates the name, masks it, and removes it after
// the run.
enum class NameGuard { kWatch, kPlaceholder };
struct ProtectName {
  std::string parent;
  std::string name;
  NameGuard guard = NameGuard::kWatch;
  bool exists = false;  // a symlink, which no mount can mask: it must not be replaced
};
// Disarms hooks, configuration that executes programs, and redirections in git repositories that the run creates in
// this writable root.
struct CleanGit {
  std::string root;
  bool had_git = false;  // `root/.git` existed when the plan was made
  // The end of the run searches the root even if the run made no part of a repository: some that existed before may not
  // be protected.
  bool always = false;
};
// These three exist only inside the sandbox's root, never on the host.
struct MakeDirectory {
  std::string at;
};
struct MakeLink {
  std::string at;
  std::string target;
};
// Covers a host file of this path.
struct MakeFile {
  std::string at;
  std::string content;
};
// Private and writable, in memory, removed after the run.
struct PrivateTmp {
  std::vector<std::string> at;  // "/tmp", "/var/tmp", "/dev/shm"
  std::uint64_t size = 0;       // bytes, together
  bool exec = true;
};
// Only null, zero, full, random, urandom, tty and ptmx.
struct Devices {};
// A private pid namespace with a private /proc whose kernel settings are read-only; no access to the host's shared
// memory segments.
struct Processes {
  PidMode pid = PidMode::kPrivate;
};
struct Network {
  NetworkMode mode = NetworkMode::kNone;
  // Used with kDomains:
  std::vector<DomainRule> domains;
  std::vector<HostAddresses> hosts{};  // resolved without a DNS query
  IpAddress name_server{};             // the sandbox's name server
  // No destination is granted at the start; with kDomains a live grant can change that, if the backend supports it.
  bool reaches_nothing() const {
    return mode == NetworkMode::kNone || (mode == NetworkMode::kDomains && domains.empty());
  }
};
// kNone: the command may not start processes; kList: only `programs` (canonical files) can be executed.
struct ExecLimit {
  ExecMode mode = ExecMode::kAny;
  std::vector<std::string> programs;
  std::vector<std::string> libraries;  // directories whose files may be mapped as code, but not executed
};
struct Variable {
  std::string name;
  std::string value;
  Origin origin;
};
struct Environment {
  std::vector<Variable> variables;  // the complete environment of the command
};
enum class LimitKind { kWallTime, kMemory, kProcesses, kCpuTime, kFileSize, kOutputSize };
struct LimitStep {
  LimitKind kind = LimitKind::kWallTime;
  std::uint64_t amount = 0;  // milliseconds, bytes or a count
};
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};
struct Terminal {
  SessionMode session = SessionMode::kNew;
};
// Refuses a fixed list of system calls that sandboxed programs do not need; debuggers need some of them.
struct SystemCalls {
  Debuggers debuggers = Debuggers::kRefused;
};

struct Plan;
// Records the command's denied calls as they happen, for the report. Does not change the enforcement.
struct Observe {
  ObserveMode mode = ObserveMode::kFast;
  bool asks = false;                    // a denied call waits for a decision, if the backend supports it
  std::shared_ptr<const Plan> as_if{};  // report the calls that this narrower plan would deny (pinfold learn)
};

using StepBody = std::variant<ShowPath, HidePath, ProtectPath, ProtectName, CleanGit, MakeDirectory, MakeLink, MakeFile,
                              PrivateTmp, Devices, Processes, Network, ExecLimit, Environment, LimitStep, Identity,
                              Terminal, SystemCalls, Observe>;

struct Step {
  StepBody body;
  Need need = Need::kRequired;
  Origin origin;
};

// A step that the compiler could not complete, such as a search that reached its bound.
struct PlanGap {
  std::string step;  // a coverage step name
  Need need = Need::kBestEffort;
  std::string gap;
  std::string instead = {};  // what CleanGit steps do about it: a backend that carries them out adds a note
};

// A pattern that hides by name, for backends that check names at run time: every pattern of the user, and a preset's
// pattern if the search was incomplete. Each file that the search found is also a HidePath.
struct HideNames {
  std::string root;  // the workspace below which the pattern applies; "/" for an absolute one
  std::string glob;
  // Paths with a rule of their own that the pattern matches at or above. Inside them the pattern applies only to
  // matches below them. Ordered from shallow to deep.
  std::vector<std::string> except;
  Origin origin;
};

struct Plan {
  std::vector<Step> steps;
  std::vector<PlanGap> gaps;
  std::vector<HideNames> names;
  std::vector<std::string> own;  // Pinfold's own directories, canonical: no grant makes them visible
  std::string working_dir;       // canonical, visible
  OnUnavailable on_unavailable = OnUnavailable::kDeny;
};

// The plan as text, one line per step, without the values of variables.
PINFOLD_API std::string describe(const Plan& plan);
PINFOLD_API std::string describe(const Step& step);

}  // namespace pinfold
