// keys.h: every key of a policy file, once; the TOML and JSON readers, PINFOLD_* variables, "did you mean", `pinfold
// init` and the test of docs/policy.md read it. Invariant: a key that is not in this table is an error. Not here: what
// a value means (setting.cc), reading text (toml.cc, document.cc).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pinfold::policy {

enum class Key : std::uint8_t {
  kRead,
  kWrite,
  kHide,
  kProtect,
  kWorkspace,
  kWorkspaceAccess,
  kHome,
  kTmp,
  kNetwork,
  kResolve,
  kExec,
  kEnv,
  kTimeout,
  kMemory,
  kProcesses,
  kCpuTime,
  kFileSize,
  kOutputLimit,
  kNewSession,
  kSharePid,
  kObserve,
  kOnUnavailable,
  kInherits,
  kProfile,
  kEnabled,
  kJournal,
  kProfiles,
};

// What a value looks like.
enum class Form : std::uint8_t {
  kPaths,    // a string, or a list of strings and { path = "…", optional = true }
  kWords,    // a string, or a list of strings
  kNetwork,  // "none", "full", true, false, or a list of names
  kExec,     // "any", "none", or a list of commands
  kWord,     // one string
  kAmount,   // a string with a unit, or a whole number where no unit is needed
  kSwitch,   // true or false
  kTables,   // [profiles.NAME]
};

// Where a key may stand.
using Places = std::uint8_t;
inline constexpr Places kTop = 1, kInProfile = 2, kAnywhere = 3;

struct KeyInfo {
  Key key;
  std::string_view name;
  std::array<std::string_view, 3> aliases;  // other spellings, or empty
  Form form;
  Places places;
  std::string_view variable;  // the environment's spelling, or empty
  std::string_view example;   // a line of TOML
  std::string_view help;
};

inline constexpr KeyInfo kKeys[] = {
    {Key::kProfile,
     "profile",
     {"default_profile"},
     Form::kWord,
     kTop,
     "PINFOLD_PROFILE",
     "profile = \"strict\"",
     "the profile to start from: a preset, or one of this file"},
    {Key::kEnabled,
     "enabled",
     {},
     Form::kSwitch,
     kTop,
     "",
     "enabled = true",
     "false: `pinfold run` wants --no-sandbox or --sandbox said each time"},
    {Key::kJournal,
     "journal",
     {},
     Form::kSwitch,
     kTop,
     "PINFOLD_JOURNAL",
     "journal = false",
     "false: runs are not recorded in the journal; only in your own file, a project cannot say it"},
    {Key::kInherits,
     "inherits",
     {},
     Form::kWord,
     kInProfile,
     "",
     "inherits = \"moderate\"",
     "the profile that this one changes (default moderate); \"empty\" allows nothing"},
    {Key::kRead,
     "read",
     {"readonly_paths", "readable"},
     Form::kPaths,
     kAnywhere,
     "PINFOLD_READ",
     "read = [\"~/data\", { path = \"/opt/sdk\", optional = true }]",
     "paths to show, read-only"},
    {Key::kWrite,
     "write",
     {"writable_paths", "writable"},
     Form::kPaths,
     kAnywhere,
     "PINFOLD_WRITE",
     "write = [\"~/.cache/thing\"]",
     "paths to show, writable"},
    {Key::kHide,
     "hide",
     {"blocked_paths", "hidden"},
     Form::kPaths,
     kAnywhere,
     "PINFOLD_HIDE",
     "hide = [\"secrets\", \"**/*.pem\"]",
     "paths and patterns to hide"},
    {Key::kProtect,
     "protect",
     {},
     Form::kWords,
     kAnywhere,
     "PINFOLD_PROTECT",
     "protect = [\".github\"]",
     "names that stay as they are, also when they do not exist yet"},
    {Key::kWorkspace,
     "workspace",
     {"workspaces"},
     Form::kWords,
     kAnywhere,
     "PINFOLD_WORKSPACE",
     "workspace = [\".\", \"../library\"]",
     "the directories to work in (default: the working directory)"},
    {Key::kWorkspaceAccess,
     "workspace_access",
     {},
     Form::kWord,
     kAnywhere,
     "PINFOLD_WORKSPACE_ACCESS",
     "workspace_access = \"read\"",
     "\"read\" or \"write\""},
    {Key::kHome,
     "home",
     {},
     Form::kWord,
     kAnywhere,
     "",
     "home = \"hidden\"",
     "\"hidden\": toolchains and private caches only; \"host\": as its own rules show it"},
    {Key::kTmp,
     "tmp",
     {},
     Form::kWord,
     kAnywhere,
     "PINFOLD_TMP",
     "tmp = \"private\"",
     "\"private\", or \"host\" for the host's /tmp and /var/tmp"},
    {Key::kNetwork,
     "network",
     {"net", "allow_network"},
     Form::kNetwork,
     kAnywhere,
     "PINFOLD_NET",
     "network = [\"api.github.com\", \"*.example.org:443\"]",
     "\"none\", \"full\", or the names that may be reached"},
    {Key::kResolve,
     "resolve",
     {"hosts"},
     Form::kWords,
     kAnywhere,
     "PINFOLD_RESOLVE",
     "resolve = [\"db.internal=10.1.2.3\"]",
     "addresses of names that name servers do not know, or should not be asked for"},
    {Key::kExec,
     "exec",
     {},
     Form::kExec,
     kAnywhere,
     "PINFOLD_EXEC",
     "exec = [\"git\", \"make\"]",
     "\"any\", \"none\", or the commands that may be started"},
    {Key::kEnv,
     "env",
     {"environment"},
     Form::kWords,
     kAnywhere,
     "PINFOLD_ENV",
     "env = [\"API_URL\", \"CI=1\"]",
     "variables to let through (NAME, PREFIX_*) or to set (NAME=VALUE)"},
    {Key::kTimeout,
     "timeout",
     {"wall_time"},
     Form::kAmount,
     kAnywhere,
     "PINFOLD_TIMEOUT",
     "timeout = \"10m\"",
     "end the command after this long"},
    {Key::kMemory,
     "memory",
     {"memory_limit_mb"},
     Form::kAmount,
     kAnywhere,
     "PINFOLD_MEMORY",
     "memory = \"2G\"",
     "memory of the whole tree"},
    {Key::kProcesses,
     "processes",
     {},
     Form::kAmount,
     kAnywhere,
     "PINFOLD_PROCESSES",
     "processes = 512",
     "processes and threads of the whole tree"},
    {Key::kCpuTime,
     "cpu_time",
     {},
     Form::kAmount,
     kAnywhere,
     "PINFOLD_CPU_TIME",
     "cpu_time = \"30m\"",
     "processor time of the whole tree"},
    {Key::kFileSize,
     "file_size",
     {},
     Form::kAmount,
     kAnywhere,
     "PINFOLD_FILE_SIZE",
     "file_size = \"1G\"",
     "the size of each file written"},
    {Key::kOutputLimit,
     "output_limit",
     {"output_size"},
     Form::kAmount,
     kAnywhere,
     "PINFOLD_OUTPUT_LIMIT",
     "output_limit = \"64M\"",
     "stdout and stderr together"},
    {Key::kNewSession,
     "new_session",
     {},
     Form::kSwitch,
     kAnywhere,
     "PINFOLD_NEW_SESSION",
     "new_session = true",
     "a terminal session of its own (default true)"},
    {Key::kSharePid,
     "share_pid",
     {},
     Form::kSwitch,
     kAnywhere,
     "",
     "share_pid = false",
     "true: the host's processes are visible (no backend offers it yet)"},
    {Key::kObserve,
     "observe",
     {},
     Form::kWord,
     kAnywhere,
     "PINFOLD_OBSERVE",
     "observe = \"fast\"",
     "how much of what is tried is seen for the report: \"fast\" (writing, creating, connecting, executing), \"full\" "
     "(reading, too) or \"off\""},
    {Key::kOnUnavailable,
     "on_unavailable",
     {"fallback_on_unavailable"},
     Form::kWord,
     kAnywhere,
     "PINFOLD_ON_UNAVAILABLE",
     "on_unavailable = \"deny\"",
     "when a required step cannot be enforced: \"deny\", \"prompt\" or \"warn\""},
    {Key::kProfiles, "profiles", {}, Form::kTables, kTop, "", "[profiles.review]", "profiles of your own, by name"},
};

constexpr const KeyInfo& info(Key key) {
  for (const KeyInfo& one : kKeys)
    if (one.key == key) return one;
  return kKeys[0];
}

constexpr const KeyInfo* find_key(std::string_view name) {
  for (const KeyInfo& one : kKeys) {
    if (one.name == name) return &one;
    for (const std::string_view alias : one.aliases)
      if (!alias.empty() && alias == name) return &one;
  }
  return nullptr;
}

}  // namespace pinfold::policy
