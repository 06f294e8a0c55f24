// plan.h: what to do, as a closed set of steps. A plan is made from a policy and facts about the host; backends lower
// it. Invariant: all paths are canonical; the order of path steps is shallow to deep; a plan says everything, backends
// add nothing. Not here: how a step is enforced, or how well (coverage.h).
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

// Required: not fully enforced means refused. Best effort: a gap is reported.
enum class Need { kRequired, kBestEffort };

enum class View { kRead, kReadExec, kWrite, kWriteExec };
enum class Ensure { kExists, kCreate };  // kCreate: a private directory that Pinfold makes and keeps (caches)
enum class EntryKind { kFile, kDirectory };

// Makes a host file or directory visible at `at` (usually the same path).
struct ShowPath {
  std::string host;
  std::string at;
  View view = View::kRead;
  EntryKind kind = EntryKind::kDirectory;
  Ensure ensure = Ensure::kExists;
  std::vector<std::string> subdirectories{};  // with kCreate: names to make inside `host` as well
};
// Masks what a shown directory would otherwise contain.
struct HidePath {
  std::string at;
  EntryKind kind = EntryKind::kDirectory;
  std::string pattern{};  // the pattern that found it, or empty for a path rule
  bool own = false;       // one of Pinfold's own directories: a backend that cannot hide it shows nothing around it
  // With `own`, in a writable root: the directories between the root and it, which must not be renamed away.
  std::vector<std::string> pins{};
};
// Keeps an existing file or directory inside a writable root as it is. `pins` are the directories between the root and
// it, which must not be renamed away.
struct ProtectPath {
  std::string at;
  EntryKind kind = EntryKind::kDirectory;
  std::vector<std::string> pins;
};
// Keeps a name from coming into being in `parent`. kWatch leaves nothing on the host: creations are refused as they are
// seen and undone if one was missed. kPlaceholder makes the name, masks it, and removes it after the run.
enum class NameGuard { kWatch, kPlaceholder };
struct ProtectName {
  std::string parent;
  std::string name;
  NameGuard guard = NameGuard::kWatch;
  bool exists = false;  // a symlink, which no mount can mask: it must stay the one it is
};
// New git repositories in this writable root may not bring hooks, executing configuration or redirections along.
struct CleanGit {
  std::string root;
  bool had_git = false;  // `root/.git` existed when the plan was made
};
// Something made up inside the sandbox's own root: never on the host.
struct MakeDirectory {
  std::string at;
};
struct MakeLink {
  std::string at;
  std::string target;
};
// Where the host shows something under that name, over it.
struct MakeFile {
  std::string at;
  std::string content;
};
// Private, writable, in memory, gone after the run.
struct PrivateTmp {
  std::vector<std::string> at;  // "/tmp", "/var/tmp", "/dev/shm"
  std::uint64_t size = 0;       // bytes, together
  bool exec = true;
};
// null zero full random urandom tty ptmx, and nothing else.
struct Devices {};
// A pid namespace of its own with its own /proc, whose kernel switches are read-only; no shared memory segments.
struct Processes {
  PidMode pid = PidMode::kPrivate;
};
struct Network {
  NetworkMode mode = NetworkMode::kNone;
  // Used with kDomains:
  std::vector<DomainRule> domains;
  std::vector<HostAddresses> hosts{};  // known without asking
  IpAddress name_server{};             // inside, where names are asked for
  // Nothing can be reached now; with kDomains that may change, where the backend can.
  bool reaches_nothing() const {
    return mode == NetworkMode::kNone || (mode == NetworkMode::kDomains && domains.empty());
  }
};
// kNone: the command may not have children; kList: only `programs` (canonical files) can be executed.
struct ExecLimit {
  ExecMode mode = ExecMode::kAny;
  std::vector<std::string> programs;
  std::vector<std::string> libraries;  // directories from which code may be mapped, though not executed by name
};
struct Variable {
  std::string name;
  std::string value;
  Origin origin;
};
struct Environment {
  std::vector<Variable> variables;  // everything the command gets
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
// The fixed list of system calls that no sandboxed program needs; debuggers need some more.
struct SystemCalls {
  Debuggers debuggers = Debuggers::kRefused;
};

struct Plan;
// What the command tries is seen as it happens, for the report; nothing is decided by it.
struct Observe {
  ObserveMode mode = ObserveMode::kFast;
  bool asks = false;  // whoever tries what is denied waits until somebody has said yes or no, where the backend can
  std::shared_ptr<const Plan> as_if{};  // told is what this plan would deny, which shows less than the one that runs
};

using StepBody = std::variant<ShowPath, HidePath, ProtectPath, ProtectName, CleanGit, MakeDirectory, MakeLink, MakeFile,
                              PrivateTmp, Devices, Processes, Network, ExecLimit, Environment, LimitStep, Identity,
                              Terminal, SystemCalls, Observe>;

struct Step {
  StepBody body;
  Need need = Need::kRequired;
  Origin origin;
};

// Something the compiler could not do fully, known before any backend sees the plan (a search that hit its bound).
struct PlanGap {
  std::string step;  // a coverage step name
  Need need = Need::kBestEffort;
  std::string gap;
};

// What a pattern hides by its name alone, found or not, for backends that judge names: every pattern that somebody
// asked for, and a preset's where not all was searched. What was found is a HidePath, too.
struct HideNames {
  std::string root;  // the workspace below which the pattern counts; "/" for an absolute one
  std::string glob;
  // Shown by rules of their own although the pattern matches at or above them: there it counts only for what it matches
  // below them. Shallow to deep.
  std::vector<std::string> except;
  Origin origin;
};

struct Plan {
  std::vector<Step> steps;
  std::vector<PlanGap> gaps;
  std::vector<HideNames> names;
  std::vector<std::string> own;  // Pinfold's own directories, canonical, shown around or not: no grant opens them
  std::string working_dir;       // canonical, visible
  OnUnavailable on_unavailable = OnUnavailable::kDeny;
};

// The plan as text, one line per step; values of variables are never printed.
PINFOLD_API std::string describe(const Plan& plan);
PINFOLD_API std::string describe(const Step& step);

}  // namespace pinfold
