// policy.h: the access that a run is granted, as values. PolicyBuilder makes a Policy.
// Invariant: the default of every field is the strictest value; each rule has its origin.
// Not here: how it is enforced (plan.h), reading files, querying the host.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pinfold/export.h"
#include "pinfold/network.h"
#include "pinfold/origin.h"
#include "pinfold/result.h"

namespace pinfold {

// Ordered from strict to open: std::min gives the stricter one.
enum class Access { kHide, kRead, kWrite };

// How a missing path is handled: a preset's optional path is skipped, a path of the user is an error.
enum class Missing { kError, kSkip };

struct PathRule {
  std::string path;  // absolute and lexically normal; symlinks are resolved by Scope
  Access access = Access::kHide;
  Missing missing = Missing::kError;
  Origin origin;
  bool workspace = false;  // a workspace: an explicit rule of the same source for the same path overrides it
  bool own = false;        // hides one of Pinfold's own directories; no other rule overrides it
};

// A name that must not be changed: an absolute path, or a relative name (".git/hooks", ".vscode"), which applies at the
// top of each writable root and at every place below it where it already exists.
struct ProtectRule {
  std::string name;
  Origin origin;
};

// Files to hide by pattern: "**/.env". Relative patterns apply below each workspace.
struct HidePattern {
  std::string glob;
  Origin origin;
};

enum class NetworkMode { kNone, kDomains, kFull };
struct NetworkRule {
  NetworkMode mode = NetworkMode::kNone;
  std::vector<DomainRule> domains;  // used with kDomains; at least one of them allows something
  Origin origin;
};

enum class ExecMode { kNone, kList, kAny };
struct ExecRule {
  ExecMode mode = ExecMode::kNone;
  std::vector<std::string> commands;  // names or absolute paths, used with kList
  Origin origin;
};

// A variable that passes ("LANG", "LC_*", or "*" for every variable), or one that is set to a value.
struct EnvRule {
  std::string name;
  std::optional<std::string> value;
  Origin origin;
};

template <typename T>
struct Limit {
  T value{};
  Origin origin;
};

struct Limits {
  std::optional<Limit<std::chrono::milliseconds>> wall_time;
  std::optional<Limit<std::uint64_t>> memory;                // bytes, whole tree
  std::optional<Limit<std::uint64_t>> processes;             // processes and threads, whole tree
  std::optional<Limit<std::chrono::milliseconds>> cpu_time;  // whole tree
  std::optional<Limit<std::uint64_t>> file_size;             // bytes, each file
  std::optional<Limit<std::uint64_t>> output_size;           // bytes of stdout and stderr together
};

enum class OnUnavailable { kDeny, kPrompt, kWarn };
enum class SessionMode { kNew, kShared };  // a new terminal session, or the caller's
enum class PidMode { kPrivate, kShared };
enum class Debuggers { kRefused, kAllowed };  // ptrace between sandboxed processes: gdb, strace, leak checkers
enum class TmpMode { kPrivate, kHost };       // /tmp, /var/tmp and TMPDIR
// Which calls are recorded as they happen, from the most to the fewest; enforcement is the same. kFast: rare calls
// (write, create, connect, execute); kFull: also reads.
enum class ObserveMode { kFull, kFast, kOff };
constexpr std::string_view observe_word(ObserveMode mode) {
  return mode == ObserveMode::kFull ? "full" : mode == ObserveMode::kFast ? "fast" : "off";
}
// How the file tools treat files that git ignores or that a preset's pattern marks private (".env"): deny, ask, allow.
enum class Ignored { kDeny, kAsk, kAllow };
constexpr std::string_view ignored_word(Ignored mode) {
  return mode == Ignored::kAllow ? "allow" : mode == Ignored::kAsk ? "ask" : "deny";
}
enum class AbsolutePaths { kRefused, kAccepted };  // paths that begin with "/" or "~" in the file tools
enum class HomeMode { kHidden, kHost };            // kHidden: only toolchains and private caches are visible

// Tokens for grants that remove a whole protection. Each carries a reason; a policy file can only request one.
namespace danger {
class Reason {
 public:
  explicit Reason(std::string why) : why_(std::move(why)) {}
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};
struct HostNetwork : Reason {
  using Reason::Reason;
};
struct SharePid : Reason {
  using Reason::Reason;
};
struct FullAccess : Reason {
  using Reason::Reason;
};
}  // namespace danger

struct Policy {
  std::string profile;                  // the base preset
  std::string custom;                   // the selected profile of a policy file, or empty
  std::vector<std::string> workspaces;  // absolute; each is also a PathRule
  Access workspace_access = Access::kRead;
  Origin workspace_access_origin;
  std::vector<PathRule> paths;
  std::vector<ProtectRule> protect;
  std::vector<HidePattern> patterns;
  NetworkRule network;
  std::vector<HostAddresses> hosts;  // each name at most once
  ExecRule exec;
  std::vector<EnvRule> environment;
  Limits limits;
  HomeMode home = HomeMode::kHidden;
  Origin home_origin;
  TmpMode tmp = TmpMode::kPrivate;
  Origin tmp_origin;
  SessionMode session = SessionMode::kNew;
  Origin session_origin;
  PidMode pid = PidMode::kPrivate;
  Origin pid_origin;
  Debuggers debuggers = Debuggers::kRefused;
  Origin debuggers_origin;
  ObserveMode observe = ObserveMode::kFast;
  Origin observe_origin;
  Ignored ignored = Ignored::kDeny;
  Origin ignored_origin;
  AbsolutePaths absolute_paths = AbsolutePaths::kRefused;
  Origin absolute_paths_origin;
  OnUnavailable on_unavailable = OnUnavailable::kDeny;
  Origin on_unavailable_origin;
};

// The names of the presets, in the order help lists them.
PINFOLD_API const std::vector<std::string_view>& preset_names();

// The system that paths and variables belong to. On Windows the core uses "/c/Users/ada", never "C:\\Users\\ada".
enum class Platform { kLinux, kMacos, kWindows };

// The calling user's directories, passed as values, so that building a policy needs no OS call.
struct Caller {
  std::string home;         // absolute
  std::string working_dir;  // absolute
  Platform platform = Platform::kLinux;
  std::vector<std::string> system{};  // with kWindows: the directories of Windows and of installed programs
};

// Collects rules and problems; build() reports all problems at once and consumes the builder.
class PINFOLD_API PolicyBuilder {
 public:
  // Starts from a preset. For an unknown name the problem suggests the most similar one.
  PolicyBuilder(std::string_view preset, Caller caller, Origin origin);

  // Workspaces. A later source replaces the workspaces of an earlier one.
  PolicyBuilder& workspace(std::string_view dir, const Origin& origin);
  PolicyBuilder& workspace_access(Access access, Origin origin);  // kRead or kWrite
  PolicyBuilder& read(std::string_view path, Origin origin, Missing missing = Missing::kError);
  PolicyBuilder& write(std::string_view path, Origin origin, Missing missing = Missing::kError);
  PolicyBuilder& hide(std::string_view path_or_glob, Origin origin);
  PolicyBuilder& hide_path(std::string_view path, Origin origin, Missing missing);  // not parsed as a pattern
  PolicyBuilder& protect(std::string_view name_or_path, Origin origin);
  PolicyBuilder& no_network(const Origin& origin);
  PolicyBuilder& allow(const danger::HostNetwork& reason, const Origin& origin);
  // "api.github.com", "*.example.org:443", "localhost:5432", "10.1.2.3:22", "!name"; the first call switches to
  // kDomains.
  PolicyBuilder& network_domain(std::string_view rule, const Origin& origin);
  // Fixed addresses of a name: "db.internal=10.1.2.3", "db.internal=10.1.2.3,fd00::3".
  PolicyBuilder& resolve(std::string_view text, const Origin& origin);
  PolicyBuilder& allow(const danger::SharePid& reason, const Origin& origin);
  PolicyBuilder& private_processes(const Origin& origin);
  PolicyBuilder& allow(const danger::FullAccess& reason, const Origin& origin);  // needed for danger-full-access
  PolicyBuilder& exec_any(const Origin& origin);
  PolicyBuilder& exec_none(const Origin& origin);
  PolicyBuilder& exec_command(std::string_view command,
                              const Origin& origin);                       // the first call switches to kList
  PolicyBuilder& env(std::string_view name_or_assignment, Origin origin);  // NAME or NAME=VALUE
  PolicyBuilder& timeout(std::string_view text, const Origin& origin);     // "30s"
  PolicyBuilder& memory(std::string_view text, const Origin& origin);      // "512M"
  PolicyBuilder& processes(std::string_view text, const Origin& origin);   // "64"
  PolicyBuilder& cpu_time(std::string_view text, const Origin& origin);
  PolicyBuilder& file_size(std::string_view text, const Origin& origin);
  PolicyBuilder& output_limit(std::string_view text, const Origin& origin);
  PolicyBuilder& on_unavailable(std::string_view word, Origin origin);  // deny, prompt, warn
  PolicyBuilder& session(SessionMode mode, const Origin& origin);
  PolicyBuilder& tmp(TmpMode mode, const Origin& origin);
  PolicyBuilder& home(HomeMode mode, const Origin& origin);
  PolicyBuilder& debuggers(Debuggers mode, const Origin& origin);
  PolicyBuilder& observe(ObserveMode mode, const Origin& origin);
  PolicyBuilder& ignored(Ignored mode, const Origin& origin);
  PolicyBuilder& absolute_paths(AbsolutePaths mode, const Origin& origin);
  // The name of the selected custom profile, for display.
  PolicyBuilder& named(std::string_view custom_profile);

  // Adds a problem that the caller found; build() reports it with the builder's own.
  PolicyBuilder& problem(const Origin& origin, std::string what, std::string fix = {});
  const std::vector<std::string>& problems() const { return problems_; }

  // All problems, or the policy. Problems are joined by newlines, each with its origin and fix.
  Result<Policy> build() &&;

 private:
  std::optional<std::string> absolute(std::string_view text, const Origin& origin);
  void path_rule(std::string_view text, Access access, Origin origin, Missing missing);
  bool exec_mode(ExecMode mode, const Origin& origin);
  bool network_mode(NetworkMode mode, const Origin& origin);

  Caller caller_;
  Policy policy_;
  std::vector<std::string> problems_;
  bool full_access_granted_ = false;
  std::optional<Origin> full_access_asked_;
  std::optional<Origin> workspace_origin_;
};

// A policy from text with the keys of policy files (docs/reference/policy.md). Rules have Source::kApi; relative paths
// are relative to the caller's working directory. The error lists every mistake with its line.
PINFOLD_API Result<Policy> policy_from_toml(std::string_view text, const Caller& caller) noexcept;
PINFOLD_API Result<Policy> policy_from_json(std::string_view text, const Caller& caller) noexcept;

}  // namespace pinfold
