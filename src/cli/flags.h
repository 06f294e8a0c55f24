// flags.h: every command and every flag, once; parser, help, "did you mean", completions and the man page read it.
// Invariant: a flag that is not in this table does not exist. The order here is the order in help. Not here: what a
// flag does (options.cc).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pinfold::cli {

enum class Command : std::uint8_t {
  kRun,
  kShell,
  kSessionStart,
  kSessionExec,
  kSessionList,
  kSessionStop,
  kCheck,
  kInit,
  kPolicyShow,
  kPolicyWhy,
  kPolicyCheck,
  kPolicyTrust,
  kDoctor,
  kLog,
  kStats,
  kCompletions,
  kManPage,
  kHelp,
  kVersion
};

// Commands a flag belongs to, as a set.
using Commands = std::uint32_t;
constexpr Commands in(Command command) { return static_cast<Commands>(1u << static_cast<unsigned>(command)); }
inline constexpr Commands kOnlyRun = in(Command::kRun);
inline constexpr Commands kWithSandbox = in(Command::kRun) | in(Command::kShell) | in(Command::kSessionStart);
inline constexpr Commands kWithPolicy = kWithSandbox | in(Command::kPolicyShow) | in(Command::kPolicyWhy);
inline constexpr Commands kWithReport = in(Command::kRun) | in(Command::kShell) | in(Command::kSessionExec);
inline constexpr Commands kPerCommand = kWithPolicy | in(Command::kSessionExec);
inline constexpr Commands kWhoAsks = in(Command::kRun) | in(Command::kShell);
inline constexpr Commands kOnlyLog = in(Command::kLog);
inline constexpr Commands kOfJournal = in(Command::kLog) | in(Command::kStats);
inline constexpr Commands kOnlyTrust = in(Command::kPolicyTrust);
inline constexpr Commands kEvery = 0xFFFFFFFF;

enum class Id : std::uint8_t {
  kCommandText,
  kShell,
  kName,
  kDetach,
  kProfile,
  kWorkspace,
  kRead,
  kWrite,
  kHide,
  kProtect,
  kNet,
  kResolve,
  kExec,
  kEnv,
  kTmp,
  kTimeout,
  kMemory,
  kProcesses,
  kCpuTime,
  kFileSize,
  kOutputLimit,
  kCwd,
  kBackend,
  kObserve,
  kAsk,
  kOnUnavailable,
  kReport,
  kExplain,
  kQuiet,
  kNoJournal,
  kSandbox,
  kNoSandbox,
  kAllowNetwork,
  kNoUserFile,
  kNoProjectFile,
  kJson,
  kToml,
  kYes,
  kList,
  kRevoke,
  kFixHints,
  kDenied,
  kSince,
  kOneRun,
  kLimit,
  kFollow,
  kHelp,
  kVersion,
};

enum class Repeat : std::uint8_t { kOnce, kMany };
enum class Group : std::uint8_t { kCommand, kFiles, kOther, kLimits, kRun, kOutput, kInformation };

struct Flag {
  Id id;
  std::string_view name;                    // "--read"
  std::array<std::string_view, 2> aliases;  // other spellings, or empty
  std::string_view argument;                // "PATH"; empty: takes no value
  Repeat repeat;
  Commands commands;
  Group group;
  std::string_view help;
};

inline constexpr Flag kFlags[] = {
    {Id::kCommandText,
     "-c",
     {},
     "TEXT",
     Repeat::kOnce,
     kOnlyRun,
     Group::kCommand,
     "run TEXT with /bin/sh -c; TEXT stays one argument and is never parsed by Pinfold"},
    {Id::kShell,
     "--shell",
     {},
     "SH",
     Repeat::kOnce,
     kOnlyRun | in(Command::kShell) | in(Command::kCheck),
     Group::kCommand,
     "this shell instead of /bin/sh (with -c) or of $SHELL (pinfold shell); of check: auto, bash or powershell"},
    {Id::kName,
     "--name",
     {},
     "NAME",
     Repeat::kOnce,
     in(Command::kSessionStart),
     Group::kCommand,
     "what the session is called; without it, it has only an id"},
    {Id::kDetach,
     "--detach",
     {},
     "",
     Repeat::kOnce,
     in(Command::kSessionStart),
     Group::kCommand,
     "keep the session when the process that started it ends, until `session stop`"},

    {Id::kProfile,
     "--profile",
     {"--sandbox-profile"},
     "NAME",
     Repeat::kOnce,
     kWithPolicy,
     Group::kFiles,
     "what to start from (default moderate): strict, moderate, permissive, read-only, workspace-write, "
     "danger-full-access, or a profile of a policy file"},
    {Id::kWorkspace,
     "--workspace",
     {},
     "DIR",
     Repeat::kMany,
     kWithPolicy,
     Group::kFiles,
     "a directory to work in (default: the working directory); several are fine"},
    {Id::kRead, "--read", {}, "PATH", Repeat::kMany, kWithPolicy, Group::kFiles, "show PATH, read-only"},
    {Id::kWrite,
     "--write",
     {"--sandbox-allow-write"},
     "PATH",
     Repeat::kMany,
     kWithPolicy,
     Group::kFiles,
     "show PATH, writable"},
    {Id::kHide,
     "--hide",
     {},
     "PATH-or-GLOB",
     Repeat::kMany,
     kWithPolicy,
     Group::kFiles,
     "hide PATH, or every file that matches (\"**/*.pem\")"},
    {Id::kProtect,
     "--protect",
     {},
     "PATH",
     Repeat::kMany,
     kWithPolicy,
     Group::kFiles,
     "keep PATH as it is, also when it does not exist yet"},
    {Id::kTmp,
     "--tmp",
     {},
     "private|host",
     Repeat::kOnce,
     kWithPolicy,
     Group::kFiles,
     "a /tmp of its own (default), or the host's"},
    {Id::kNoUserFile,
     "--no-user-file",
     {},
     "",
     Repeat::kMany,
     kWithPolicy,
     Group::kFiles,
     "do not read ~/.config/pinfold/config.toml"},
    {Id::kNoProjectFile,
     "--no-project-file",
     {},
     "",
     Repeat::kMany,
     kWithPolicy,
     Group::kFiles,
     "do not read the project's pinfold.toml"},

    {Id::kNet,
     "--net",
     {},
     "none|full|DOMAIN[:PORT]",
     Repeat::kMany,
     kWithPolicy,
     Group::kOther,
     "no network (default), the host's own, or what is named: example.org (ports 80 and 443), *.example.org:443, "
     "localhost:5432, 10.1.2.3:22, !name"},
    {Id::kResolve,
     "--resolve",
     {},
     "NAME=ADDRESS[,ADDRESS]",
     Repeat::kMany,
     kWithPolicy,
     Group::kOther,
     "where a name leads, whatever name servers say; a private address must be granted as well (--net ADDRESS:PORT)"},
    {Id::kAllowNetwork,
     "--sandbox-allow-network",
     {},
     "",
     Repeat::kMany,
     kWithPolicy,
     Group::kOther,
     "the same as --net full"},
    {Id::kExec,
     "--exec",
     {},
     "any|none|CMD",
     Repeat::kMany,
     kWithPolicy,
     Group::kOther,
     "which programs the command may start (default any)"},
    {Id::kEnv,
     "--env",
     {},
     "NAME[=VALUE]",
     Repeat::kMany,
     kPerCommand,
     Group::kOther,
     "let a variable through, or set it"},

    {Id::kTimeout,
     "--timeout",
     {},
     "30s",
     Repeat::kOnce,
     kPerCommand,
     Group::kLimits,
     "end the command after this long"},
    {Id::kMemory, "--memory", {}, "512M", Repeat::kOnce, kPerCommand, Group::kLimits, "memory of the whole tree"},
    {Id::kProcesses,
     "--processes",
     {},
     "N",
     Repeat::kOnce,
     kWithPolicy,
     Group::kLimits,
     "processes and threads of the whole tree"},
    {Id::kCpuTime,
     "--cpu-time",
     {},
     "T",
     Repeat::kOnce,
     kPerCommand,
     Group::kLimits,
     "processor time of the whole tree"},
    {Id::kFileSize,
     "--file-size",
     {},
     "S",
     Repeat::kOnce,
     kWithPolicy,
     Group::kLimits,
     "the size of each file written"},
    {Id::kOutputLimit,
     "--output-limit",
     {},
     "S",
     Repeat::kOnce,
     kPerCommand,
     Group::kLimits,
     "stdout and stderr together"},

    {Id::kCwd,
     "--cwd",
     {},
     "DIR",
     Repeat::kOnce,
     kWithSandbox | in(Command::kSessionExec),
     Group::kRun,
     "start there; DIR must be inside what is shown, it widens nothing"},
    {Id::kBackend,
     "--backend",
     {},
     "auto|native|bubblewrap|landlock|passthrough",
     Repeat::kOnce,
     kWithSandbox | in(Command::kDoctor),
     Group::kRun,
     "what enforces the plan (default auto: the first of native, bubblewrap and landlock that leaves no gap here); "
     "passthrough enforces nothing and needs --no-sandbox"},
    {Id::kOnUnavailable,
     "--on-unavailable",
     {},
     "deny|prompt|warn",
     Repeat::kOnce,
     kWithPolicy,
     Group::kRun,
     "when no backend enforces all that is required: refuse (default), ask at the terminal, or run the best one and "
     "say what is missing"},
    {Id::kObserve,
     "--observe",
     {},
     "off|fast|full",
     Repeat::kOnce,
     kWithPolicy,
     Group::kRun,
     "see what is tried beyond what is allowed, for the report: writing, creating, connecting and executing (fast, the "
     "default), reading, too (full), or nothing (off)"},
    {Id::kAsk,
     "--ask",
     {},
     "terminal|web|never",
     Repeat::kOnce,
     kWhoAsks,
     Group::kRun,
     "when something beyond what is allowed is tried, let it wait and ask: at the terminal (the default of a shell), "
     "on "
     "a local web page, or never (the default of run)"},
    {Id::kReport,
     "--report",
     {},
     "FILE",
     Repeat::kOnce,
     kWithReport,
     Group::kRun,
     "write what happened as JSON (docs/report.schema.json)"},
    {Id::kExplain,
     "--explain",
     {},
     "",
     Repeat::kOnce,
     kOnlyRun,
     Group::kRun,
     "print the plan and how well it is enforced here, run nothing"},
    {Id::kQuiet, "--quiet", {"-q"}, "", Repeat::kOnce, kWithReport, Group::kRun, "no summary of denials on stderr"},
    {Id::kNoJournal, "--no-journal", {}, "", Repeat::kMany, kWithReport, Group::kRun, "do not record this run"},
    {Id::kSandbox,
     "--sandbox",
     {},
     "",
     Repeat::kMany,
     kWithSandbox,
     Group::kRun,
     "in the sandbox, which is the default, also where a policy file says enabled = false"},
    {Id::kNoSandbox,
     "--no-sandbox",
     {},
     "",
     Repeat::kOnce,
     kOnlyRun,
     Group::kRun,
     "run with nothing enforced, and say so"},

    {Id::kJson,
     "--json",
     {},
     "",
     Repeat::kMany,
     in(Command::kPolicyShow) | in(Command::kPolicyWhy) | in(Command::kSessionList) | in(Command::kCheck) | kOfJournal,
     Group::kOutput,
     "as JSON, for programs"},
    {Id::kToml,
     "--toml",
     {},
     "",
     Repeat::kMany,
     in(Command::kPolicyShow),
     Group::kOutput,
     "as a policy file that means the same; values of variables are in it"},
    {Id::kYes,
     "--yes",
     {"-y"},
     "",
     Repeat::kMany,
     kOnlyTrust,
     Group::kOutput,
     "agree without a question; what is agreed to is still printed"},
    {Id::kList, "--list", {}, "", Repeat::kMany, kOnlyTrust, Group::kOutput, "the files that you trust"},
    {Id::kRevoke, "--revoke", {}, "", Repeat::kMany, kOnlyTrust, Group::kOutput, "take your consent back"},

    {Id::kFixHints,
     "--fix-hints",
     {},
     "",
     Repeat::kMany,
     in(Command::kDoctor),
     Group::kOutput,
     "only what an administrator can do here, as commands to copy into a shell"},

    {Id::kDenied, "--denied", {}, "", Repeat::kMany, kOnlyLog, Group::kOutput, "only runs that were denied something"},
    {Id::kSince,
     "--since",
     {},
     "TIME",
     Repeat::kOnce,
     kOfJournal,
     Group::kOutput,
     "only what is newer: 30m, 1h, 7d, or a date such as 2026-01-31 or 2026-01-31T12:00Z"},
    {Id::kOneRun, "--run", {}, "ID", Repeat::kOnce, kOnlyLog, Group::kOutput, "only this run; its first letters do"},
    {Id::kLimit,
     "--limit",
     {},
     "N",
     Repeat::kOnce,
     kOnlyLog,
     Group::kOutput,
     "only the newest N runs (default 50; with --json all)"},
    {Id::kFollow, "--follow", {"-f"}, "", Repeat::kMany, kOnlyLog, Group::kOutput, "go on with what comes"},

    {Id::kHelp, "--help", {"-h"}, "", Repeat::kMany, kEvery, Group::kInformation, "this text"},
    {Id::kVersion, "--version", {"-V"}, "", Repeat::kMany, kEvery, Group::kInformation, "the version"},
};

struct CommandInfo {
  Command command;
  std::string_view name;   // "policy show"
  std::string_view usage;  // what follows "pinfold "
  std::string_view summary;
};

inline constexpr CommandInfo kCommands[] = {
    {Command::kRun, "run", "run [flags] -- COMMAND [ARGUMENT]…\n  pinfold run [flags] -c 'TEXT' [--shell SH]",
     "run a command that can touch only what was allowed"},
    {Command::kShell, "shell", "shell [flags]", "an interactive shell in a sandbox"},
    {Command::kSessionStart, "session start", "session start [--name NAME] [--detach] [flags]",
     "make a sandbox that stays, for many commands"},
    {Command::kSessionExec, "session exec", "session exec SESSION [flags] -- COMMAND [ARGUMENT]…",
     "run a command in it, beside what runs there already"},
    {Command::kSessionList, "session list", "session list [--json]", "your sessions"},
    {Command::kSessionStop, "session stop", "session stop SESSION…", "end a session and everything in it"},
    {Command::kCheck, "check", "check [--shell SHELL] [--json] -- 'TEXT'\n  pinfold check [flags] < LINES",
     "is a command line safe, to be asked about, or to be refused? Nothing is run"},
    {Command::kInit, "init", "init [DIR]", "write a commented pinfold.toml that fits the project"},
    {Command::kPolicyShow, "policy show", "policy show [flags]", "what is allowed, and which rule says so"},
    {Command::kPolicyWhy, "policy why", "policy why [flags] PATH|DOMAIN|VARIABLE|COMMAND…",
     "which rule decides about one thing"},
    {Command::kPolicyCheck, "policy check", "policy check FILE…", "every mistake in a policy file, with its place"},
    {Command::kPolicyTrust, "policy trust", "policy trust [DIR|FILE] [--yes|--revoke]\n  pinfold policy trust --list",
     "agree to what a project's file asks for"},
    {Command::kDoctor, "doctor", "doctor [flags]", "what this machine can enforce, and the fix for each gap"},
    {Command::kLog, "log", "log [flags]", "what ran, and what it was denied"},
    {Command::kStats, "stats", "stats [flags]", "counts of runs and denials, by program and by resource"},
    {Command::kCompletions, "completions", "completions bash|zsh|fish", "a script that completes this for your shell"},
    {Command::kManPage, "man-page", "man-page", "the manual page, for man(1)"},
    {Command::kHelp, "help", "help [COMMAND]", "help for a command"},
    {Command::kVersion, "version", "version", "the version"},
};

// The first words of commands of two words.
struct Noun {
  std::string_view word;
  std::string_view summary;
};
inline constexpr Noun kNouns[] = {
    {"session", "one sandbox for many commands: start, exec, list or stop"},
    {"policy", "what is allowed: show, explain, check or trust it"},
};

// "show" of "policy show"; empty: not a command of this noun.
constexpr std::string_view verb_of(const CommandInfo& command, std::string_view noun) {
  const std::string_view name = command.name;
  const bool fits = name.size() > noun.size() + 1 && name.starts_with(noun) && name[noun.size()] == ' ';
  return fits ? name.substr(noun.size() + 1) : std::string_view{};
}

constexpr const CommandInfo& info(Command command) {
  for (const CommandInfo& one : kCommands)
    if (one.command == command) return one;
  return kCommands[0];
}

constexpr bool takes_value(const Flag& flag) { return !flag.argument.empty(); }

constexpr const Flag* find_flag(std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (flag.name == name) return &flag;
    for (const std::string_view alias : flag.aliases)
      if (!alias.empty() && alias == name) return &flag;
  }
  return nullptr;
}

}  // namespace pinfold::cli
