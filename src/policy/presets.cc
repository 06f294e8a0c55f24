// presets.cc: the rules of each preset; docs/reference/presets.md has the same table.
// Invariant: a preset never names a path that must exist; every preset but danger-full-access hides the same secrets.
// Not here: flags and files that come on top (builder.cc).
#include "policy/presets.h"

#include <algorithm>
#include <array>

#include "base/paths.h"
#include "policy/protected_name_list.h"

namespace pinfold {

const std::vector<std::string_view>& preset_names() {
  static const std::vector<std::string_view> names = {"strict",    "moderate",        "permissive",
                                                      "read-only", "workspace-write", "danger-full-access"};
  return names;
}

}  // namespace pinfold

namespace pinfold::policy {
namespace {

using std::string_view;

constexpr auto kSystem =
    std::to_array<string_view>({"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc"});
// Libraries and frameworks of macOS, and its build tools; the data volume below /System is left out.
constexpr auto kMacSystem =
    std::to_array<string_view>({"/System/Library", "/System/Cryptexes", "/System/Volumes/Preboot/Cryptexes",
                                "/Library/Apple", "/Library/Developer", "/Library/Frameworks", "/private/var/select",
                                "/private/var/db/timezone", "/private/var/db/dyld"});
constexpr auto kMoreMacSystem = std::to_array<string_view>({"/Applications/Xcode.app", "/Library/Java"});
constexpr auto kMoreSystem =
    std::to_array<string_view>({"/opt", "/nix", "/sys", "/home/linuxbrew/.linuxbrew", "/run/current-system"});

constexpr auto kHidden = std::to_array<string_view>(
    {"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
     "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key",
     "/etc/ssh/ssh_host_dsa_key", "/etc/ssl/private", "/etc/krb5.keytab", "/etc/wireguard",
     "/etc/NetworkManager/system-connections", "/etc/security/opasswd", "/etc/docker", "/etc/kubernetes",
     // Kernel switches and tables below /sys, and sockets of daemons, in case a rule shows "/".
     "/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/fs/bpf", "/sys/firmware", "/run"});
constexpr auto kHiddenOnMac = std::to_array<string_view>({"/etc/master.passwd"});

constexpr auto kToolchains =
    std::to_array<string_view>({".cargo/bin", ".cargo/registry", ".cargo/git",   ".cargo/config.toml",
                                ".cargo/env", ".rustup",         ".nvm",         ".pyenv",
                                ".local/bin", ".local/lib",      ".volta",       ".asdf",
                                ".sdkman",    ".bun/bin",        ".deno/bin",    "go/bin",
                                "go/pkg",     ".rbenv",          ".nix-profile", ".npm-global",
                                ".ghcup",     ".juliaup",        ".dotnet",      ".jenv",
                                "miniconda3", "anaconda3",       "miniforge3",   ".fnm",
                                ".proto/bin", ".proto/tools"});
constexpr auto kHiddenInToolchains = std::to_array<string_view>({".dotnet/corefx"});

// With the home directory readable (permissive), the paths in it that stay hidden.
constexpr auto kHiddenInHome = std::to_array<string_view>({".ssh",
                                                           ".gnupg",
                                                           ".aws",
                                                           ".azure",
                                                           ".config",
                                                           ".docker",
                                                           ".kube",
                                                           ".npmrc",
                                                           ".netrc",
                                                           ".pypirc",
                                                           ".git-credentials",
                                                           ".cargo/credentials",
                                                           ".cargo/credentials.toml",
                                                           ".local/share",
                                                           ".mozilla",
                                                           ".thunderbird",
                                                           ".password-store",
                                                           ".bash_history",
                                                           ".zsh_history",
                                                           ".python_history",
                                                           ".node_repl_history",
                                                           ".psql_history",
                                                           ".mysql_history",
                                                           ".gem/credentials",
                                                           ".terraform.d",
                                                           ".vault-token",
                                                           ".m2/settings.xml",
                                                           ".gradle/gradle.properties",
                                                           ".claude",
                                                           ".claude.json",
                                                           ".codex",
                                                           ".gemini",
                                                           ".cursor",
                                                           ".vscode",
                                                           "snap",
                                                           ".var",
                                                           "Library"});

constexpr auto kPatterns = std::to_array<string_view>({"**/.env", "**/.env.local", "**/.env.*.local", "**/.netrc",
                                                       "**/id_rsa", "**/id_dsa", "**/id_ecdsa", "**/id_ed25519"});
constexpr auto kStrictPatterns =
    std::to_array<string_view>({"**/.env.*", "**/*.pem", "**/*.key", "**/*.p12", "**/*.pfx", "**/*.jks", "**/*.kdbx",
                                "**/.npmrc", "**/.pypirc", "**/.git-credentials"});

constexpr auto kVariables =
    std::to_array<string_view>({"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM",
                                "NO_COLOR", "TZ", "NODE_PATH", "PYTHONPATH"});
constexpr auto kToolchainVariables =
    std::to_array<string_view>({"CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR", "JAVA_HOME", "GOROOT", "GOPATH",
                                "VOLTA_HOME", "SDKMAN_DIR"});

// Windows: variables that programs need to start, and locations. None of them holds a secret.
constexpr auto kWindowsVariables = std::to_array<string_view>(
    {"PATH", "PATHEXT", "SystemRoot", "SystemDrive", "windir", "COMSPEC", "OS", "NUMBER_OF_PROCESSORS",
     "PROCESSOR_ARCHITECTURE", "PROCESSOR_IDENTIFIER", "ProgramFiles", "ProgramData", "CommonProgramFiles", "USERNAME",
     "LANG", "NO_COLOR", "TZ", "NODE_PATH", "PYTHONPATH"});
constexpr auto kHiddenInWindowsHome = std::to_array<string_view>({"AppData", "NTUSER.DAT", "OneDrive", "Cookies"});

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

// Service accounts have homes such as /bin or /usr/sbin: hiding those would hide the system.
bool is_own_directory(string_view home) {
  if (home.size() < 2 || home[0] != '/') return false;
  const auto covers = [&](string_view system) { return paths::at_or_beneath(home, system); };
  return std::none_of(kSystem.begin(), kSystem.end(), covers) &&
         std::none_of(kMoreSystem.begin(), kMoreSystem.end(), covers) && !covers("/proc") && !covers("/dev") &&
         !covers("/boot");
}

class Filler {
 public:
  Filler(string_view name, Policy& policy) : policy_(policy), origin_{Source::kPreset, "preset " + std::string(name)} {
    policy_.paths.reserve(96);
    policy_.network.origin = policy_.exec.origin = policy_.on_unavailable_origin = origin_;
    policy_.home_origin = policy_.tmp_origin = policy_.session_origin = policy_.pid_origin = origin_;
    policy_.observe_origin = policy_.ignored_origin = policy_.absolute_paths_origin = origin_;
    policy_.workspace_access_origin = policy_.debuggers_origin = origin_;
  }

  void path(std::string at, Access access) {
    policy_.paths.push_back({std::move(at), access, Missing::kSkip, origin_});
  }
  template <typename List>
  void each(const List& list, string_view below, Access access) {
    for (const string_view one : list) path(below.empty() ? std::string(one) : paths::join(below, one), access);
  }
  template <typename List>
  void protect(const List& list) {
    policy_.protect.reserve(list.size());
    for (const string_view one : list) policy_.protect.push_back({std::string(one), origin_});
  }
  template <typename List>
  void patterns(const List& list) {
    for (const string_view one : list) policy_.patterns.push_back({std::string(one), origin_});
  }
  template <typename List>
  void variables(const List& list) {
    for (const string_view one : list) policy_.environment.push_back({std::string(one), std::nullopt, origin_});
  }
  template <typename T>
  Limit<T> limit(T value) const {
    return {value, origin_};
  }
  const Origin& origin() const { return origin_; }

 private:
  Policy& policy_;
  Origin origin_;
};

void fill_full_access(Filler& fill, Policy& policy) {
  fill.path("/", Access::kWrite);
  // Not a secret, but it controls the host: as root, a write to /sys runs code on the host.
  fill.path("/sys", Access::kRead);
  fill.variables(std::to_array<string_view>({"*"}));
  policy.home = HomeMode::kHost;
  policy.tmp = TmpMode::kHost;
  policy.workspace_access = Access::kWrite;
  policy.network.mode = NetworkMode::kFull;
  policy.debuggers = Debuggers::kAllowed;
  policy.ignored = Ignored::kAllow;
  policy.absolute_paths = AbsolutePaths::kAccepted;
}

}  // namespace

bool apply_preset(string_view name, const Caller& caller, Policy& policy) {
  const auto& names = preset_names();
  if (std::find(names.begin(), names.end(), name) == names.end() && name != kEmptyPreset) return false;
  policy.profile = name;
  Filler fill(name, policy);
  if (name == kEmptyPreset) return true;
  policy.exec.mode = ExecMode::kAny;
  if (name == kFullAccessPreset) {
    fill_full_access(fill, policy);
    return true;
  }

  const bool strict = name == "strict";
  const bool permissive = name == "permissive";
  const bool windows = caller.platform == Platform::kWindows;
  const bool macos = caller.platform == Platform::kMacos;
  if (windows) {
    fill.each(caller.system, {}, Access::kRead);
  } else {
    fill.each(kSystem, {}, Access::kRead);
    if (macos) fill.each(kMacSystem, {}, Access::kRead);
    if (!strict) fill.each(kMoreSystem, {}, Access::kRead);
    if (!strict && macos) fill.each(kMoreMacSystem, {}, Access::kRead);
    fill.each(kHidden, {}, Access::kHide);
    if (macos) fill.each(kHiddenOnMac, {}, Access::kHide);
  }

  if (is_own_directory(caller.home)) {
    fill.path(caller.home, permissive ? Access::kRead : Access::kHide);
    if (permissive) {
      fill.each(kHiddenInHome, caller.home, Access::kHide);
      fill.each(kHiddenInToolchains, caller.home, Access::kHide);
      if (windows) fill.each(kHiddenInWindowsHome, caller.home, Access::kHide);
    } else if (!strict) {
      fill.each(kToolchains, caller.home, Access::kRead);
      fill.each(kHiddenInToolchains, caller.home, Access::kHide);
    }
  }
  policy.home = permissive ? HomeMode::kHost : HomeMode::kHidden;

  fill.protect(kProtectedNames);
  fill.patterns(kPatterns);
  if (strict) fill.patterns(kStrictPatterns);
  if (windows)
    fill.variables(kWindowsVariables);
  else
    fill.variables(kVariables);
  if (!strict) fill.variables(kToolchainVariables);

  if (!strict) policy.absolute_paths = AbsolutePaths::kAccepted;
  policy.workspace_access = strict || name == "read-only" ? Access::kRead : Access::kWrite;
  if (permissive) policy.network.mode = NetworkMode::kFull;
  Limits& limits = policy.limits;
  if (strict) {
    limits.wall_time = fill.limit(std::chrono::milliseconds(std::chrono::minutes(5)));
    limits.memory = fill.limit(kGiB);
    limits.file_size = fill.limit(kGiB);
    limits.output_size = fill.limit(kGiB / 16);
  }
  limits.processes = fill.limit<std::uint64_t>(strict ? 256 : permissive ? 8192 : 4096);
  return true;
}

bool runs_code(string_view variable) {
  if (variable.starts_with("GIT_"))
    return !variable.starts_with("GIT_AUTHOR_") && !variable.starts_with("GIT_COMMITTER_");
  if (variable.starts_with("LD_")) return true;
  constexpr auto kNames = std::to_array<string_view>(
      {"NODE_OPTIONS", "BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "PYTHONSTARTUP", "PYTHONHOME",
       "PERL5OPT", "PERL5LIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
       "_JAVA_OPTIONS", "GCONV_PATH", "GLIBC_TUNABLES"});
  return std::find(kNames.begin(), kNames.end(), variable) != kNames.end();
}

}  // namespace pinfold::policy
