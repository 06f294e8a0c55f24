// policy.h: what is allowed, as values. A Policy is made by PolicyBuilder and never changed afterwards.
// Invariant: the default of every field is the strict one; each rule knows where it came from.
// Not here: how it is enforced (plan.h), reading files, asking the host.
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

// Ordered from strict to open, so that std::min is "the stricter".
enum class Access { kHide, kRead, kWrite };

// What a missing path means: a preset's optional path is skipped, a user's own path is an error.
enum class Missing { kError, kSkip };

struct PathRule {
  std::string path;  // absolute and lexically normal; symlinks are resolved by Scope
  Access access = Access::kHide;
  Missing missing = Missing::kError;
  Origin origin;
  bool workspace = false;  // stands for a workspace: an explicit rule of the same source for the same path overrides it
  bool own = false;        // Pinfold's own word about one of its own directories, which no other rule can show
};

// A name that stays as it is: relative ("hooks below .git", ".vscode") at the top of each writable root and wherever it
// already exists below, or an absolute path.
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
enum class Debuggers { kRefused, kAllowed };  // may programs trace each other? gdb, strace, leak checkers
enum class TmpMode { kPrivate, kHost };       // /tmp, /var/tmp and TMPDIR
// How much of what is tried is seen as it happens, from the most to the least; what is denied is the same. kFast: what
// is rare (writing, creating, connecting, executing); kFull: reading, too.
enum class ObserveMode { kFull, kFast, kOff };
constexpr std::string_view observe_word(ObserveMode mode) {
  return mode == ObserveMode::kFull ? "full" : mode == ObserveMode::kFast ? "fast" : "off";
}
// The file tools and what git ignores or a preset's pattern takes for private (".env"): refused, asked about, allowed.
enum class Ignored { kDeny, kAsk, kAllow };
constexpr std::string_view ignored_word(Ignored mode) {
  return mode == Ignored::kAllow ? "allow" : mode == Ignored::kAsk ? "ask" : "deny";
}
enum class AbsolutePaths { kRefused, kAccepted };  // what the file tools do with a path that begins with "/" or "~"
enum class HomeMode { kHidden, kHost };            // kHidden: empty but for toolchains and private caches

// Grants so wide that they need a token that says why; files can only ask for one.
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
  std::string profile;                  // the preset it started from
  std::string custom;                   // the profile of a file that was chosen, or empty
  std::vector<std::string> workspaces;  // absolute; each is also a PathRule
  Access workspace_access = Access::kRead;
  Origin workspace_access_origin;
  std::vector<PathRule> paths;
  std::vector<ProtectRule> protect;
  std::vector<HidePattern> patterns;
  NetworkRule network;
  std::vector<HostAddresses> hosts;  // a name at most once
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

// Whose paths and variables they are. On Windows the core knows "/c/Users/ada", never "C:\\Users\\ada".
enum class Platform { kLinux, kMacos, kWindows };

// What the caller is and where it stands: given, never asked for, so that building a policy needs no OS.
struct Caller {
  std::string home;         // absolute
  std::string working_dir;  // absolute
  Platform platform = Platform::kLinux;
  std::vector<std::string> system{};  // with kWindows: the directories of Windows and of installed programs
};

// Gathers rules and every problem; build() reports all problems at once and consumes the builder.
class PINFOLD_API PolicyBuilder {
 public:
  // Starts from a preset. An unknown name is a problem that names the nearest one.
  PolicyBuilder(std::string_view preset, Caller caller, Origin origin);

  // The directories to work in. Those that a later source names replace those of an earlier one.
  PolicyBuilder& workspace(std::string_view dir, const Origin& origin);
  PolicyBuilder& workspace_access(Access access, Origin origin);  // kRead or kWrite
  PolicyBuilder& read(std::string_view path, Origin origin, Missing missing = Missing::kError);
  PolicyBuilder& write(std::string_view path, Origin origin, Missing missing = Missing::kError);
  PolicyBuilder& hide(std::string_view path_or_glob, Origin origin);
  PolicyBuilder& hide_path(std::string_view path, Origin origin, Missing missing);  // never read as a pattern
  PolicyBuilder& protect(std::string_view name_or_path, Origin origin);
  PolicyBuilder& no_network(const Origin& origin);
  PolicyBuilder& allow(const danger::HostNetwork& reason, const Origin& origin);
  // "api.github.com", "*.example.org:443", "localhost:5432", "10.1.2.3:22", "!name"; the first call makes a list.
  PolicyBuilder& network_domain(std::string_view rule, const Origin& origin);
  // "db.internal=10.1.2.3", "db.internal=10.1.2.3,fd00::3": what a name leads to, whatever name servers say.
  PolicyBuilder& resolve(std::string_view text, const Origin& origin);
  PolicyBuilder& allow(const danger::SharePid& reason, const Origin& origin);
  PolicyBuilder& private_processes(const Origin& origin);
  PolicyBuilder& allow(const danger::FullAccess& reason, const Origin& origin);  // needed for danger-full-access
  PolicyBuilder& exec_any(const Origin& origin);
  PolicyBuilder& exec_none(const Origin& origin);
  PolicyBuilder& exec_command(std::string_view command,
                              const Origin& origin);                       // the first call turns the rule into a list
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
  // The name of the custom profile that was chosen, for people to read.
  PolicyBuilder& named(std::string_view custom_profile);

  // A mistake that the caller found, told together with the builder's own.
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

// The keys of the policy files (docs/policy.md), said by a program: rules count as Source::kApi, relative paths start
// at the caller's working directory. Every mistake is told, with its place.
PINFOLD_API Result<Policy> policy_from_toml(std::string_view text, const Caller& caller) noexcept;
PINFOLD_API Result<Policy> policy_from_json(std::string_view text, const Caller& caller) noexcept;

}  // namespace pinfold
